"""Numbers of the product, each with its unit and why it is what it is (DESIGN: defaults)."""

QUIET_S = 0.4
"""A run that ends within this is posted once, finished."""

DOUBLE_CLICK_S = 1.0
"""The same person asking for the same again within this, while the first has not ended, means it once."""

EDIT_WINDOW_S = 15 * 60
"""An edit of the message re-runs within this after the run's end."""

START_WITHIN_S = 10 * 60
"""Once allowed, an execution starts within this or expires."""

RETRY_START_S = 2.0
"""How long to wait before the engine is tried again; doubled up to RETRY_START_MOST_S."""

RETRY_START_MOST_S = 30.0

EXCERPT_CHARS = 8_000
"""What is kept of a block's output in the state; the rest is a file."""

CARD_LINES = 40
CARD_CHARS = 2_400
"""Code up to this size is shown whole on a card: it fits one section on every platform. Longer code needs a confirm.
"""

INPUT_CHARS = 800
"""Arguments and input each, likewise."""

INPUT_BYTES = 64 * 1024
"""What may be typed as input; more comes as a file."""

BLOCK_BYTES = 16 * 1024
"""A longer block is never run (POLICY: what a person cannot read cannot be approved)."""

BLOCKS = 20
"""Blocks of one message that run, one after the other, each with a time limit of its own."""

RECENT_REQUESTS = 64
"""Ended requests kept in a channel's state; older ones are recalled from the table when an event names them."""

WAITING_PER_USER = 20
"""Requests of one person that may wait for approval at the same time in a channel."""

REASON_CHARS = 500

TIMEOUT_CEILING_S = 600.0
MEMORY_CEILING_MB = 4096

TELL_AFTER_S = 120.0
"""Whoever asked is told once when an approval that took longer than this has run."""

HINTS = 3
"""So many hints about one message are told; a hostile one could ask for thousands."""
