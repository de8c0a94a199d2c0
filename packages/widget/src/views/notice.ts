import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { CheckoutResult, Money } from '../outcome.ts';
import { readTicket } from '../checkout/ticket.ts';
import { formatMoney } from '../texts/money.ts';
import type { Texts } from '../texts/texts.ts';
import type { Told, WholeView } from './view.ts';

/** What the shopper is told in place, as the name of its two texts. */
interface Notice {
  readonly name:
    | 'approved'
    | 'pending'
    | 'declined'
    | 'cancelled'
    | 'away'
    | 'changed'
    | 'confirming'
    | 'expired'
    | 'stale'
    | 'unavailable'
    | 'offline'
    | 'checking'
    | 'failed'
    | 'refunded'
    | 'reduced'
    | 'voided';
  /** The label of the button that goes on from here; none where there is nothing to press. */
  readonly action?: Told['action'];
  /** The label of a second, quieter button. */
  readonly second?: 'cancel' | 'keep' | undefined;
  /** Whether the shopper may be shown other ways to pay. */
  readonly others: boolean;
}

/** A picture says the same as the title, so it is hidden from assistive technology. */
const pictures = {
  tick: 'M7 12.5l3.5 3.5L17 9',
  clock: 'M12 7v5l3.5 2',
  word: 'M12 11v6M12 7.5v.01',
};

/** @returns what there is to tell, in words; undefined where there is nothing. */
export function tell(view: WholeView): Told | undefined {
  const { amount, texts } = view;
  const notice = noticeOf(view);
  if (!notice) return undefined;
  const { name, action, second, others } = notice;
  return {
    name,
    picture: pictureOf(notice),
    title: texts[`${name}Title`],
    text: textOf(name, view),
    action,
    second: second && fill(texts[second], texts, amount),
    others,
  };
}

function noticeOf(view: WholeView): Notice | undefined {
  const { phase, result, stale, offline } = view;
  if (phase === 'away') {
    const action = view.recallable ? 'showWindow' : undefined;
    return { name: phase, action, second: 'cancel', others: false };
  }
  if (phase === 'changed') {
    const second = view.keepable ? 'keep' : undefined;
    return { name: phase, action: 'startAgain', second, others: true };
  }
  if (phase === 'confirming') return { name: phase, others: false };
  if (phase === 'checking') return { name: phase, action: 'checkNow', others: false };
  if (phase !== 'ended' || !result) return undefined;
  const name = result.reversal?.kind ?? result.outcome;
  switch (name) {
    case 'approved':
    case 'pending':
    case 'reduced':
      return { name, others: false };
    case 'cancelled':
      return { name, action: 'label', others: true };
    case 'expired':
      return stale
        ? { name: 'stale', action: 'reload', others: true }
        : { name, action: 'startAgain', others: true };
    case 'unavailable':
      if (!result.retrySafe) return { name: 'checking', action: 'checkNow', others: false };
      return {
        name: offline || result.offline ? 'offline' : name,
        action: 'tryAgain',
        others: true,
      };
    case 'declined':
    case 'failed':
    case 'refunded':
    case 'voided':
      return { name, others: true };
  }
}

function pictureOf({ name, others }: Notice): TemplateResult {
  // Where no other way is offered, there is something to wait for.
  const waits = (!others && name !== 'reduced') || name === 'expired' || name === 'stale';
  const path = name === 'approved' ? pictures.tick : pictures[waits ? 'clock' : 'word'];
  return html`<svg viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="10" />
    <path d=${path} />
  </svg>`;
}

/** What a notice says, with the amounts filled in. */
function textOf(name: Notice['name'], view: WholeView): string {
  const { amount, current, order, result, texts } = view;
  if (name === 'approved') {
    const now = differing(order, result);
    return now ? fill(texts.approvedOther, texts, amount, now) : fill(texts[name], texts, amount);
  }
  if (name !== 'changed') return fill(texts[name], texts, amount, result?.reversal?.amount);
  const said = fill(texts.changed, texts, amount, current);
  // Another cart may come to the same amount; then the sentence with both says nothing.
  return said && amount?.value !== current?.value ? said : texts.changedCart;
}

/** Where no answer told an amount, the sentence that needs it is left out. */
function fill(text: string, { lang }: Texts, amount?: Money, current?: Money): string {
  let filled = text;
  for (const [place, money] of [
    ['{amount}', amount],
    ['{current}', current],
  ] as const) {
    if (!text.includes(place)) continue;
    if (!money) return '';
    filled = filled.replaceAll(place, () => formatMoney(money, lang));
  }
  return filled;
}

/** What the cart comes to by its ticket, where that is not what was approved for the same order. */
function differing(order: string, result: CheckoutResult | undefined): Money | undefined {
  const { merchantOrderId, totalAmount: value, currency } = readTicket(order) ?? {};
  const approved = result?.amount;
  if (!approved || merchantOrderId !== result.merchantOrderId) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return undefined;
  if (currency !== approved.currency || value === approved.value) return undefined;
  return { value, currency: approved.currency };
}
