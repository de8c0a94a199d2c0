/** An error that the operator of the sandbox can fix: a taken port, a damaged key file. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}

/** An argument that is wrong in any state: exit code 2; other errors have 1. */
export class ArgumentError extends SandboxError {}
