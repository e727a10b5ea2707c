/**
 * Returns a function that asks the given one once per argument.
 *
 * @template T
 * @param {(argument: string) => T} ask
 * @returns {(argument: string) => T}
 */
export function memoize(ask) {
  const answers = new Map();
  return (argument) => {
    if (!answers.has(argument)) {
      answers.set(argument, ask(argument));
    }
    return answers.get(argument);
  };
}
