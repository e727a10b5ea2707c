import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Ball, Stash, ballsFor, type Label, type Source } from './label.js';

const sock: Label = { metres: 420, fibre: 'wool' };

describe('label', () => {
  it('ballsFor rounds up', () => {
    const balls: number = ballsFor(421, sock);
    assert.equal(balls, 2);
  });

  it('metres of everything in the stash', () => {
    const stash: Source = new Stash<Ball>().add(new Ball(sock), new Ball(sock));
    assert.equal(stash.metres(), 840);
  });
});
