import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { CheckoutResult, Money } from '../model/outcome.ts';
import { isMoney } from '../companion/answer.ts';
import { readTicket } from '../companion/ticket.ts';
import { formatMoney } from '../texts/money.ts';
import type { Texts } from '../texts/texts.ts';
import type { Notice, WholeView } from './view.ts';

/** A kind of notice. Its name selects the title and the text. */
interface NoticeKind {
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
  /** Text of the primary button; absent if there is nothing to press. */
  readonly action?: Notice['action'];
  /** Text of the secondary button. */
  readonly second?: 'cancel' | 'keep' | undefined;
  /** Whether other ways to pay are shown. */
  readonly others: boolean;
}

/** An icon repeats the title, so it is hidden from assistive technology. */
const pictures = {
  tick: 'M7 12.5l3.5 3.5L17 9',
  clock: 'M12 7v5l3.5 2',
  word: 'M12 11v6M12 7.5v.01',
};

export function noticeFor(view: WholeView): Notice | undefined {
  const { amount, texts } = view;
  const kind = kindOf(view);
  if (!kind) return undefined;
  const { name, action, second, others } = kind;
  return {
    name,
    picture: pictureOf(kind),
    title: texts[`${name}Title`],
    text: textOf(name, view),
    action,
    second: second && fill(texts[second], texts, amount),
    others,
  };
}

function kindOf(view: WholeView): NoticeKind | undefined {
  const { phase, result, stale, offline } = view;
  if (phase === 'away') {
    const action = view.session?.isFocusable ? 'showWindow' : undefined;
    return { name: phase, action, second: 'cancel', others: false };
  }
  if (phase === 'changed') {
    const second = view.change?.isKeepable ? 'keep' : undefined;
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

function pictureOf({ name, others }: NoticeKind): TemplateResult {
  // If no other ways to pay are shown, the shopper is waiting for something.
  const waits = (!others && name !== 'reduced') || name === 'expired' || name === 'stale';
  return picture(name === 'approved' ? 'tick' : waits ? 'clock' : 'word');
}

export function picture(name: keyof typeof pictures): TemplateResult {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="10" />
    <path d=${pictures[name]} />
  </svg>`;
}

/** Returns a notice's text with its amounts. */
function textOf(name: NoticeKind['name'], view: WholeView): string {
  const { amount, change, order, result, texts } = view;
  const current = change?.current;
  if (name === 'approved') {
    const now = changedAmount(order, result);
    return now ? fill(texts.approvedOther, texts, amount, now) : fill(texts[name], texts, amount);
  }
  if (name === 'cancelled' && result?.linkExpiresAt) return texts.cancelledLink;
  if (name !== 'changed') return fill(texts[name], texts, amount, result?.reversal?.amount);
  const said = fill(texts.changed, texts, amount, current);
  // A different cart may have the same amount, in which case the text without amounts is used.
  return said && amount?.value !== current?.value ? said : texts.changedCart;
}

/** Fills in the amounts. Returns an empty string if an amount is unknown. */
export function fill(text: string, { lang }: Texts, amount?: Money, current?: Money): string {
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

/** Returns the current ticket's amount if it differs from the approved amount of the same order. */
function changedAmount(order: string, result: CheckoutResult | undefined): Money | undefined {
  const { merchantOrderId, totalAmount: value, currency } = readTicket(order) ?? {};
  const approved = result?.amount;
  const now = { value, currency };
  if (!approved || merchantOrderId !== result.merchantOrderId || !isMoney(now)) return undefined;
  return now.currency === approved.currency && now.value !== approved.value ? now : undefined;
}
