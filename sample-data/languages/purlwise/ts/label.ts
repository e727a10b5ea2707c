/** What is printed on the paper band around a ball of yarn. */
export interface Label {
  readonly metres: number;
  readonly fibre: 'wool' | 'cotton' | 'linen';
}

/** Anything that yarn can be taken from. */
export interface Source {
  metres(): number;
}

export class Ball implements Source {
  constructor(private readonly label: Label) {}

  metres(): number {
    return this.label.metres;
  }
}

export class Stash<T extends Source> implements Source {
  private readonly sources: T[] = [];

  add(...sources: T[]): this {
    this.sources.push(...sources);
    return this;
  }

  metres(): number {
    return this.sources.reduce((sum, it) => sum + it.metres(), 0);
  }
}

/** How many balls are needed for so many metres; there is no half ball. */
export function ballsFor(metres: number, label: Label): number {
  return Math.ceil(metres / label.metres);
}
