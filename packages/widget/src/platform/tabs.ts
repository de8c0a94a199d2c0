import { aborted } from './abort.ts';

/** Identifies this page. A duplicated tab has the same session storage, but another ID. */
const page = String(Math.random());

/**
 * Marks a checkout as open in this tab, for the shop's other tabs, with a lock that is held until
 * the signal is aborted.
 */
export function markOpen(id: string, until: AbortSignal): void {
  const name = `financing-checkout ${id} ${page}`;
  navigator.locks.request(name, () => aborted(until)).catch(() => undefined);
}

/**
 * Returns whether another tab shows the same checkout, so that a shopper who leaves this tab can
 * continue there. Returns false if the browser denies the page access to locks.
 */
export async function isOpenElsewhere(id: string): Promise<boolean> {
  const { held } = await navigator.locks.query().catch((): LockManagerSnapshot => ({}));
  return Boolean(held?.some(({ name = '' }) => name.includes(` ${id} `) && !name.endsWith(page)));
}
