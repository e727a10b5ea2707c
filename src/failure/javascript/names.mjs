// Writes the names of `names.txt`: node names.mjs > names.txt.
//
// What Node.js gives to programs: globals, the modules that are built in, and the members of both; what the language
// reserves; and what test frameworks and assertion libraries are called by.

import { builtinModules, createRequire } from "node:module";

const require = createRequire(import.meta.url);
const RESERVED = `async await break case catch class const continue debugger default delete do else export extends false
finally for from function get if import in instanceof let new null of return set static super switch this throw true try
typeof undefined var void while with yield arguments any boolean number string object unknown never readonly interface
enum type as satisfies keyof infer declare namespace abstract implements private protected public module exports
__dirname __filename _ t`;
const FRAMEWORKS = `describe it test specify suite context before after beforeEach afterEach beforeAll afterAll only skip
todo each concurrent failing fit fdescribe xit xdescribe jest vi sinon expect assert should chai jasmine done plan end cy
fn mock mocked spyOn mockReturnValue mockReturnValueOnce mockResolvedValue mockResolvedValueOnce mockRejectedValue
mockRejectedValueOnce mockImplementation mockImplementationOnce mockClear mockReset mockRestore clearAllMocks
resetAllMocks restoreAllMocks useFakeTimers useRealTimers advanceTimersByTime runAllTimers calls results stub spy fake
sandbox createSandbox restore reset resetHistory returns resolves rejects throws callsFake withArgs onCall callCount
called calledOnce calledTwice calledThrice notCalled calledWith calledOnceWith calledWithExactly calledOnceWithExactly
neverCalledWith firstCall secondCall lastCall getCall args returnValue
anything any arrayContaining objectContaining stringContaining stringMatching closeTo assertions hasAssertions extend
not to be been is that which and has have with at same a an but does still also deep nested own ordered all include
includes contain contains ok true false null undefined NaN exist empty equal equals eql eq above gt greaterThan least gte
below lt lessThan most lte within instanceof instanceOf property ownProperty lengthOf length match string keys key throw
Throw respondTo satisfy closeTo approximately members oneOf change increase decrease by extensible sealed frozen finite
fulfilled rejected rejectedWith eventually notify
toBe toEqual toStrictEqual toBeNull toBeUndefined toBeDefined toBeTruthy toBeFalsy toBeNaN toContain toContainEqual
toHaveLength toHaveProperty toMatch toMatchObject toThrow toThrowError toBeInstanceOf toBeCloseTo toBeGreaterThan
toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual toHaveBeenCalled toHaveBeenCalledTimes toHaveBeenCalledWith
toHaveBeenLastCalledWith toHaveBeenNthCalledWith toBeCalled toBeCalledTimes toBeCalledWith toHaveReturned
toHaveReturnedWith toMatchSnapshot toMatchInlineSnapshot toThrowErrorMatchingSnapshot toThrowErrorMatchingInlineSnapshot
toBeInTheDocument toBeVisible toHaveTextContent toHaveAttribute
isTrue isFalse isOk isNotOk isNull isNotNull isUndefined isDefined isFunction isObject isArray isString isNumber
isBoolean isAbove isAtLeast isBelow isAtMost isEmpty isNotEmpty isNaN strictEqual notStrictEqual deepEqual notDeepEqual
deepStrictEqual notEqual notOk typeOf notTypeOf notInclude lengthOf doesNotThrow doesNotReject ifError fail notThrows
throwsAsync notThrowsAsync truthy falsy regex notRegex like snapshot pass same notSame strictSame looseEqual`;

const names = new Set(`${RESERVED} ${FRAMEWORKS}`.split(/\s+/));

function add(value, depth) {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return;
  for (const name of Object.getOwnPropertyNames(value)) {
    names.add(name);
    if (depth === 0) continue;
    const found = Object.getOwnPropertyDescriptor(value, name);
    if ("value" in found) add(found.value, depth - 1);
  }
  if (depth > 0 && typeof value === "function") add(value.prototype, 0);
}

for (const name of Object.getOwnPropertyNames(globalThis)) {
  if (name === "process" || name.startsWith("webkit")) continue;
  names.add(name);
  add(globalThis[name], 2);
}
for (const value of [[][Symbol.iterator](), (function* () {})(), (async () => {})(), ""[Symbol.iterator]()]) {
  add(Object.getPrototypeOf(value), 0);
}
for (const name of builtinModules.filter((it) => !it.startsWith("_"))) {
  for (const part of name.split("/")) names.add(part);
  add(require(name), 2);
}
for (const name of Object.keys(Object.getPrototypeOf(process))) names.add(name);
for (const name of ["argv", "cwd", "env", "exit", "nextTick", "pid", "platform", "version", "hrtime", "stdout"]) names.add(name);
const words = [...names].filter((it) => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(it));
console.log(words.sort().join("\n"));
