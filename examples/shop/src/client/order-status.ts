/** First wait between two questions, and the longest, in milliseconds. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 15_000;

/**
 * Asks the shop how an order stands until that is another status than the one that is shown. The
 * shop's backend decides; this only looks.
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
      // Offline, or the shop restarts: ask again later.
    }
    wait = Math.min(wait * 1.4, LONGEST_WAIT);
    setTimeout(() => void ask(), wait);
  };
  setTimeout(() => void ask(), wait);
}

function hasStatus(value: unknown): value is { status: string } {
  return typeof value === 'object' && value !== null && 'status' in value;
}
