"""The web chat: a platform of its own (people, channels, messages, files, events) and the gateway over it.

    request -> guard (host, headers) -> access (who acts) -> routes -> Chat (what they may do) -> MessageStore (SQLite)
                                                                         |                            |
    core <- dispatch <- Lanes (one a channel, in order, owed until the core has saved its step) <-----+
    core -> WebGateway.post, edit, delete -> Chat -> MessageStore -> Bell -> streams (server-sent events)

Nothing here is a queue a client could fill: a stream is a cursor into the store, and a change rings the bell.
"""
