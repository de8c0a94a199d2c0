/*
 * Stubs for the names that @open-wc/testing imports from @web/test-runner-commands, which needs a
 * different test runner. Calling a stub rejects.
 */
function absent(): Promise<never> {
  return Promise.reject(new Error('There is no @web/test-runner here.'));
}

export {
  absent as executeServerCommand,
  absent as getSnapshot,
  absent as getSnapshotConfig,
  absent as resetMouse,
  absent as saveSnapshot,
  absent as sendKeys,
  absent as sendMouse,
};
