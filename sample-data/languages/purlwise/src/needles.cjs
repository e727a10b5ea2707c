'use strict';

// As old as the package: written before modules, still required by hand-made tools.
const IMPERIAL = { '00': 1.75, 0: 2, 8: 5, 10.5: 6.5 };

function Needle(size) {
  this.size = size;
}

Needle.prototype.millimetres = function () {
  return IMPERIAL[this.size];
};

Needle.prototype.suits = function (stitchesPer10cm) {
  return Math.abs(this.millimetres() - 100 / stitchesPer10cm) < 1;
};

module.exports = { Needle };
