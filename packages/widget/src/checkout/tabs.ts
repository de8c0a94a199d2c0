import { aborted } from '../presentations/presentation.ts';

/** Tells this page from a duplicate of it, which has the same session storage. */
const page = String(Math.random());

/** Has the shop's other tabs know that this one shows a checkout. */
export function hold(id: string, until: AbortSignal): void {
  const name = `financing-checkout ${id} ${page}`;
  navigator.locks.request(name, () => aborted(until)).catch(() => undefined);
}

/**
 * Whether another tab shows a checkout: the shopper who leaves it here goes on there. Where a
 * browser keeps locks from the page, nothing is known of other tabs.
 */
export async function isElsewhere(id: string): Promise<boolean> {
  const { held } = await navigator.locks.query().catch((): LockManagerSnapshot => ({}));
  return Boolean(held?.some(({ name = '' }) => name.includes(` ${id} `) && !name.endsWith(page)));
}
