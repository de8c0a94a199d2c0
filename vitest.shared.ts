/**
 * Milliseconds that a test waits for something. What happens ends the wait, so a long limit costs
 * nothing, and a machine at a quarter of the usual speed must not reach it.
 */
export const patienceMs = 60_000;

/** Limits of all test projects, which end what hangs. A project only lengthens them. */
export const limits = {
  testTimeout: 5 * patienceMs,
  hookTimeout: 5 * patienceMs,
  /** Of the whole run: Vitest ignores it in a project. */
  teardownTimeout: patienceMs,
  expect: { poll: { timeout: patienceMs } },
};
