import type {
  AlarmKind,
  Today,
  TodayItem,
  TodayKind,
} from '@financing-checkout/contract/reconciliation';
import { addressOf } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { headlineText } from '../../parts/values.ts';

export const icons: Readonly<Record<TodayKind, string>> = {
  alarm: 'triangle-alert',
  exception: 'scale',
  'late-funding': 'calendar-clock',
  hold: 'clock',
  'unclear-operation': 'circle-question-mark',
  'dead-webhook': 'send',
  'dead-alert': 'bell',
  'unproven-day': 'calendar-days',
  quarantine: 'ban',
  'ledger-start': 'book-text',
  approval: 'lock',
};

/** Returns the items of a kind; with a currency, only those that its sum includes. */
export function itemsOf(
  { items }: Pick<Today, 'items'>,
  { kind, currency }: { kind?: string | undefined; currency?: string | undefined },
): readonly TodayItem[] {
  return items.filter(
    (item) =>
      (kind === undefined || item.kind === kind) &&
      (currency === undefined || (item.currency === currency && item.currencyAssumed !== true)),
  );
}

/** Returns the title of an item. */
export function titleOf(item: TodayItem): string {
  const { today: words } = texts();
  switch (item.kind) {
    case 'alarm':
      return texts().alarms[item.code as AlarmKind].name;
    case 'exception':
    case 'late-funding':
      return headlineText(item.code ?? '');
    case 'unproven-day':
      return words.unprovenDay(formats().day(item.day ?? item.since));
    case 'ledger-start': {
      const { code = '', count = 0, day, lender } = item;
      return words.ledgerStart.title(count, lender, day && formats().day(day), code);
    }
    case 'unclear-operation':
      return words.unclear(
        (words.operations as Record<string, string>)[item.code ?? ''] ?? item.code ?? '',
      );
    case 'approval':
      return words.approvals[item.code === 'reopening' ? 'reopening' : 'preparation'](item.id);
    case 'hold':
    case 'dead-webhook':
    case 'dead-alert':
    case 'quarantine':
      return words.titles[item.kind];
  }
}

/** Returns the URL of the page where a user completes the item. */
export function placeOf(item: TodayItem): string {
  switch (item.kind) {
    case 'alarm':
      return addressOf(paths.actions, { kind: 'alarm' });
    case 'exception':
    case 'late-funding':
      return paths.case(item.id);
    case 'unproven-day':
    case 'quarantine':
      return `${paths.sync}?day=${item.day ?? ''}`;
    case 'dead-alert':
      return `${paths.sync}?alerts=dead`;
    case 'ledger-start':
      return addressOf(paths.orders, {
        headline: 'BEFORE_LEDGER',
        lender: item.lender,
        currency: item.currency,
      });
    case 'approval':
      return addressOf(paths.close, { period: item.id });
    case 'hold':
    case 'unclear-operation':
    case 'dead-webhook':
      return item.orderKey === undefined ? paths.orders : paths.order(item.orderKey);
  }
}

const DAY_MS = 86_400_000;

/** Returns a CSS class: `urgent` for an alarm, and for a hold that ends within three days, or has ended. */
export function urgencyOf({ endsAt, kind }: TodayItem, now = Date.now()): string {
  const isEnding = endsAt !== undefined && Date.parse(endsAt) - now < 3 * DAY_MS;
  return isEnding || kind === 'alarm' ? 'urgent' : '';
}
