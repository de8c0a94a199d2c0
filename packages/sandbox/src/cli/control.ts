import { SandboxError } from '../problem.ts';

/** Longest wait for a sandbox on this machine, in milliseconds. */
const TIMEOUT = 30_000;

/**
 * Calls the control API of a running sandbox: GET, or POST with a body.
 * @throws {SandboxError} when it cannot be reached, or refuses
 */
export async function callControl(
  controlUrl: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(new URL(path, controlUrl), {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  }).catch(() => {
    throw new SandboxError(`No sandbox answers at ${controlUrl}: is it running? (--control-url)`);
  });
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const { error } = answer as { error?: unknown };
  const reason = typeof error === 'string' ? error : `status ${response.status}`;
  throw new SandboxError(`The sandbox refused: ${reason}`);
}
