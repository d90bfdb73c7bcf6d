/** The heights of a list's rows with their sums: change one, sum up to one, find the one at a height, all in O(log n). */

export class Heights {
  /** @param {number[]} heights */
  constructor(heights) {
    this.values = Float64Array.from(heights);
    this.tree = new Float64Array(heights.length + 1);
    for (let at = 1; at <= heights.length; at += 1) {
      this.tree[at] += this.values[at - 1];
      const next = at + (at & -at);
      if (next <= heights.length) this.tree[next] += this.tree[at];
    }
  }

  get length() {
    return this.values.length;
  }

  get total() {
    return this.before(this.length);
  }

  /** @param {number} index @param {number} height */
  set(index, height) {
    const delta = height - this.values[index];
    this.values[index] = height;
    for (let at = index + 1; at <= this.length; at += at & -at) this.tree[at] += delta;
  }

  /** @param {number} index @returns {number} the sum of all rows above it */
  before(index) {
    let sum = 0;
    for (let at = index; at > 0; at -= at & -at) sum += this.tree[at];
    return sum;
  }

  /** @param {number} y @returns {number} the row that covers this height; the last one below all */
  at(y) {
    let index = 0;
    let rest = y;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.length))); step >= 1; step /= 2) {
      if (index + step <= this.length && this.tree[index + step] <= rest) {
        index += step;
        rest -= this.tree[index];
      }
    }
    return Math.min(index, Math.max(0, this.length - 1));
  }
}
