/** Something the person who runs the sandbox can mend: a taken port, a damaged key file. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}

/** An argument that is wrong in any state: exit code 2, where everything else is 1. */
export class ArgumentError extends SandboxError {}
