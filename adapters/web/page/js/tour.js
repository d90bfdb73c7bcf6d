/** The guided tour of the demo, drawn above the place where one writes. */

import { el, iconButton } from "./dom.js";
import { icon } from "./icons.js";
import { say } from "./toast.js";
import { advanced, FORGOTTEN, fresh, recall, remember } from "./tour_steps.js";

/**
 * @typedef {object} TourActs
 * @property {(channel: string, text: string) => void} write goes there and puts the text in the box
 * @property {(user: string, channel: string) => void} actAs
 * @property {(channel: string, message: string) => void} edit
 */

const CODE = "```python\nprint(6 * 7)\n```";

export class TourGuide {
  /** @param {import("./session.js").Session} session @param {TourActs} acts @param {AbortSignal} signal */
  constructor(session, acts, signal) {
    this.session = session;
    this.acts = acts;
    this.tour = recall();
    this.element = el("section", { class: "tour", "aria-label": "Guided tour", hidden: true });
    session.onChange(() => this.#look(), signal);
    addEventListener(FORGOTTEN, () => {
      this.tour = fresh();
      this.#look();
    }, { signal });
    this.#look();
    this.#draw();
  }

  #look() {
    const next = advanced(this.tour, this.session);
    if (next === this.tour) return;
    const hasMoved = next.step !== this.tour.step;
    this.#go(next);
    if (hasMoved) say(this.#steps()[Math.min(next.step, 4)].title);
  }

  /** @param {import("./tour_steps.js").Tour} tour */
  #go(tour) {
    this.tour = tour;
    remember(tour);
    this.#draw();
  }

  #draw() {
    const { tour } = this;
    this.element.hidden = tour.isOver;
    if (tour.isOver) return;
    const step = this.#steps()[tour.step];
    const over = () => this.#go({ ...this.tour, isOver: true });
    this.element.replaceChildren(
      el("header", {}, el("h3", {}, tour.step < 4 ? `${tour.step + 1} of 4 · ${step.title}` : step.title),
        el("ol", { "aria-hidden": "true" }, ...[0, 1, 2, 3].map((at) => el("li", { class: at < tour.step ? "done" : at === tour.step ? "now" : null }))),
        iconButton(icon("close"), tour.step < 4 ? "Skip the tour" : "Close the tour", { onclick: over })),
      el("p", {}, step.text),
      el("div", { class: "acts" }, ...step.acts.map(([label, act]) => el("button", { type: "button", onclick: act }, label)),
        tour.step < 4 && el("button", { type: "button", class: "bare", onclick: over }, "Skip the tour"),
        tour.step === 4 && el("button", { type: "button", class: "primary", onclick: over }, "Done")),
    );
  }

  /** @returns {{title: string, text: string, acts: [string, () => void][]}[]} */
  #steps() {
    const { session, acts, tour } = this;
    const channels = session.channels.map((channel) => channel.id);
    const free = channels.includes("general") ? "general" : channels[0];
    const strict = channels.includes("data") ? "data" : (channels[1] ?? channels[0]);
    const lead = session.people.find((person) => person.roles.includes("lead") && person.id !== tour.card?.asker)?.id ?? "lee";
    const asker = tour.run ? (session.histories.get(tour.run.channel)?.byId.get(tour.run.question)?.author ?? session.me.id) : session.me.id;
    const { run, card } = tour;
    return [
      { title: "Run a block", text: `A message with a fence runs. Send one in #${free}: its policy lets plain Python run at once.`, acts: [["Write one for me", () => acts.write(free, CODE)]] },
      { title: "See one ask", text: `In #${strict} everything asks first. Send the same there and look at the card: what would run, why it asks, who may decide.`, acts: [["Write it there", () => acts.write(strict, CODE)]] },
      {
        title: `Approve it as ${lead}`,
        text: session.me.id === card?.asker ? `Whoever asks cannot approve. Act as ${lead}, a lead, in this tab, then press Approve on the card.` : "Press Approve on the card: exactly these bytes run, nothing else.",
        acts: session.me.id === card?.asker ? [[`Act as ${lead}`, () => acts.actAs(lead, card.channel)]] : [],
      },
      {
        title: "Edit and run again",
        text: `Edit the message in #${run?.channel ?? free}: press ↑ in the empty box, change the numbers, send. The answer changes in its place.`,
        acts: session.me.id === asker ? [["Edit it", () => run && acts.edit(run.channel, run.question)]] : [[`Act as ${asker}`, () => acts.actAs(asker, run?.channel ?? free)]],
      },
      { title: "That is all there is to it", text: "Run with input, files, images, several fences and /fencepost commands work the same way. The tour can be taken again from Help.", acts: [] },
    ];
  }
}
