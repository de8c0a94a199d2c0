import type { Destination } from './destination.ts';

/** Timeout for the merchant's response, in milliseconds. */
const TIMEOUT = 10_000;

/** The result of a delivery, without URLs and secrets. */
interface Delivery {
  arrived: boolean;
  result: string;
}

/** Sends one notification; only a 2xx confirms its delivery. Never rejects. */
export async function deliver(
  { url, authorization }: Destination,
  body: string,
  ending: AbortSignal,
): Promise<Delivery> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      // A redirect counts as a failure: following it would leak the Authorization value and the
      // token.
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'financing-sandbox',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body,
      signal: AbortSignal.any([ending, AbortSignal.timeout(TIMEOUT)]),
    });
    await response.body?.cancel();
    return { arrived: response.ok, result: `status ${response.status}` };
  } catch (error) {
    return { arrived: false, result: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'TimeoutError') return 'timeout';
  if (error.name === 'AbortError') return 'stopped';
  const cause: unknown = error.cause ?? error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? code : 'failed';
}
