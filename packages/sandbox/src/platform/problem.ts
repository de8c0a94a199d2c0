/** An error that the operator of the sandbox can fix: a port in use, a damaged key file. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}

/** An argument that is invalid in any state: exit code 2; other errors exit with 1. */
export class ArgumentError extends SandboxError {}
