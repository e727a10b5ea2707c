/** A knitted square that tells how much room stitches take. */
export class Swatch {
  #rows = [];

  constructor(stitchesPer10cm) {
    this.stitchesPer10cm = stitchesPer10cm;
  }

  knit(...rows) {
    this.#rows.push(...rows);
    return this;
  }

  /** Calls back with every row and its width in centimetres. */
  eachRow(callback) {
    for (const row of this.#rows) {
      callback(row, (row.width * 10) / this.stitchesPer10cm);
    }
  }

  /** Washes the swatch, which takes a while; wool loses a twentieth of its width. */
  async wash(wait = () => Promise.resolve()) {
    await wait();
    return new Swatch(this.stitchesPer10cm / 0.95).knit(...this.#rows);
  }
}
