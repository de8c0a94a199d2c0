import { isObject } from '../platform/object.ts';
import { readySdk } from '../presentations/sdk-ready.ts';
import { majorUnits } from '../texts/major-units.ts';
import type { MessageHost } from './host.ts';
import { amountIn } from './programmes.ts';

/** The global of the service's script (published contract, section 8). */
const GLOBAL = 'ChargeAfter';

/** Never aborted, because all elements on the page share the script. */
const life = new AbortController();
/** New prices in major units, by SKU. */
const prices = new Map<string, number>();
let ready: Promise<unknown> | undefined;
/** Whether a call with the new prices is already scheduled. */
let isDue = false;

/** Sends all changed prices in a single call. */
async function update(): Promise<void> {
  await ready;
  // Lets other elements that changed in the same task add their prices first.
  await new Promise((done) => setTimeout(done));
  isDue = false;
  const items = [...prices].map(([sku, price]) => ({ sku, price }));
  prices.clear();
  const sdk: unknown = Reflect.get(globalThis, GLOBAL);
  const promotions = isObject(sdk) ? sdk.promotions : undefined;
  if (!isObject(promotions) || typeof promotions.update !== 'function') return;
  (promotions as { update: (items: readonly object[]) => unknown }).update(items);
}

/**
 * Puts the service's promotional widget into an element, outside its shadow root, where the
 * service's script can find it. Loads the script once, shared with the checkout, and passes new
 * prices to it.
 * @throws {BlockedError} if the script cannot be used
 */
export async function place(element: MessageHost): Promise<void> {
  const value = amountIn(element.amount);
  const attribute = (name: string) => element.getAttribute(name) ?? '';
  const sku = attribute('sku');
  if (!value || !sku) return;
  const price = majorUnits(value, element.currency ?? '');
  const [profile, page] = [attribute('profile-id'), attribute('financing-page-url')];
  const widget =
    element.querySelector<HTMLElement>(':scope > .ca-promotional-widget') ??
    document.createElement('div');
  const before = [widget.dataset.widgetItemSku, widget.dataset.widgetItemPrice].join();
  widget.className = 'ca-promotional-widget';
  Object.assign(widget.dataset, {
    widgetType: attribute('widget-type') || 'default-template',
    widgetItemSku: sku,
    widgetItemPrice: price,
    ...(profile && { widgetProfileId: profile }),
    ...(page && { widgetFinancingPageUrl: page }),
  });
  if (!widget.parentElement) element.append(widget);
  if (before === [sku, price].join()) return;
  prices.set(sku, Number(price));
  const script = { src: attribute('sdk-url'), integrity: undefined, global: GLOBAL };
  ready ??= readySdk(script, attribute('public-key').trim(), life.signal);
  if (isDue) return;
  isDue = true;
  try {
    await update();
  } catch (error) {
    // The next change retries the load.
    ready = undefined;
    isDue = false;
    throw error;
  }
}
