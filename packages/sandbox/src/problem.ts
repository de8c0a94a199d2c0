/** Something the person who runs the sandbox can mend: a taken port, a damaged key file. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}
