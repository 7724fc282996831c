/** Compiles only if the two types are the same. */
export function expectType<Expected>() {
  return <Actual>(_value: Actual, ..._same: Same<Actual, Expected> extends true ? [] : [never]): void => {};
}

/** `any` is the same as no type. */
type Same<A, B> = 0 extends 1 & A ? false : [A, B] extends [B, A] ? true : false;
