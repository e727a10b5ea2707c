const OTHER_SIDE = { k: 'p', p: 'k', yo: 'yo', k2tog: 'p2tog', p2tog: 'k2tog' };

/** One row of stitches, as the needle sees it. */
export class Row {
  /** @param {string[]} stitches */
  constructor(stitches = []) {
    this.stitches = stitches;
  }

  static of(...stitches) {
    return new Row(stitches);
  }

  /** How many stitches are on the needle after this row. */
  get width() {
    return this.stitches.length;
  }

  /** Adds a stitch, and returns the row for more. */
  add(stitch, count = 1) {
    if (!(stitch in OTHER_SIDE)) {
      throw new RangeError(`nobody can work a ${stitch}`);
    }
    for (let i = 0; i < count; i += 1) {
      this.stitches.push(stitch);
    }
    return this;
  }

  /** The same row from the other side of the work. */
  mirrored() {
    return new Row(this.stitches.map((it) => OTHER_SIDE[it]).reverse());
  }

  repeat(times) {
    return new Row(Array.from({ length: times }, () => this.stitches).flat());
  }

  toString() {
    return this.stitches.join(' ');
  }
}
