/** Initial and maximum delay between two requests, in milliseconds. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 15_000;

/**
 * Polls an order's status until it differs from the displayed one. The shop's backend decides the
 * status.
 */
export function watchOrder(address: string, shown: string, changed: () => void): void {
  let wait = FIRST_WAIT;
  const ask = async (): Promise<void> => {
    try {
      const response = await fetch(address);
      const body: unknown = response.ok ? await response.json() : undefined;
      if (hasStatus(body) && body.status !== shown) {
        changed();
        return;
      }
    } catch {
      // The browser is offline or the shop is restarting: retry later.
    }
    wait = Math.min(wait * 1.4, LONGEST_WAIT);
    setTimeout(() => void ask(), wait);
  };
  setTimeout(() => void ask(), wait);
}

function hasStatus(value: unknown): value is { status: string } {
  return typeof value === 'object' && value !== null && 'status' in value;
}
