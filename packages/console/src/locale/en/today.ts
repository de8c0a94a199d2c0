import { count } from './common.ts';

export const today = {
  kindsLabel: 'Kinds of work',
  kinds: {
    exception: 'Exceptions',
    'late-funding': 'Late fundings',
    hold: 'Holds that end soon',
    'unclear-operation': 'Unclear operations',
    'dead-webhook': 'Undelivered webhooks',
    'dead-alert': 'Undelivered alerts',
    'unproven-day': 'Unproven days',
    quarantine: 'In quarantine',
  },
  titles: {
    hold: 'Authorized, not settled',
    'dead-webhook': 'The shop did not receive this message',
    'dead-alert': 'Finance did not receive this alert',
    quarantine: 'A record cannot be read as money',
  },
  operations: { settle: 'Settle', refund: 'Refund', void: 'Void' },
  unclear: (operation: string) => `${operation}: the outcome is unclear`,
  unprovenDay: (day: string) => `${day} is not proven`,
  ends: (day: string) => `ends ${day}`,
  nothing: 'Nothing needs you today',
  nothingHint: 'All orders are as they should be. New work appears here by itself.',
  nothingOfKind: 'Nothing of this kind',
  hidden: (n: number) => `${count(n, 'more item', 'more items')} with smaller amounts: see Cases.`,
  report: 'Report the outcome',
  reportTitle: 'What did the service do?',
  reportHint:
    'Look at the charge in the service’s portal. The companion asks the service once more, and its answer wins.',
  done: 'Exactly this operation took place',
  notDone: 'Nothing of it took place',
  note: 'Where you looked, and what you found',
  outcomeMissing: 'Choose what took place.',
  noteMissing: 'Say where you looked: it stays with the operation.',
};
