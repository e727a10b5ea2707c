//! BLEU: clipped n-gram precision with a penalty for short predictions.
