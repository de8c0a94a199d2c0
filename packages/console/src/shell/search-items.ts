import type { SearchHit, SearchResult } from '@financing-checkout/contract/reconciliation';
import { journalEntryOfId } from '@financing-checkout/contract/plain';
import { addressOf } from '../api/client.ts';
import { formats, languages, texts } from '../locale/locale.ts';
import { downloadAddress } from '../parts/download.ts';
import { exportAddress } from '../parts/export-links.ts';
import { casesAddress, navigate, paths } from '../parts/navigation.ts';
import { headlineText } from '../parts/values.ts';
import { recentItems } from './recent.ts';
import { type Theme, themes } from './theme.ts';

/** What the palette's commands can do apart from opening a page. */
export interface Actions {
  signOut: () => void;
  setTheme: (theme: Theme) => void;
  setLanguage: (language: string) => void;
}

/** An option in the palette. */
export interface Item {
  text: string;
  /** Shown beside the text. */
  detail?: string;
  isId?: boolean;
  run: () => void;
}

/** Options under one heading. */
export interface ItemGroup {
  heading: string;
  /** Number of matches, whether listed or not: `12`, `100+`. */
  count?: string;
  items: Item[];
}

const opening = (path: string) => () => navigate(path);

/** Returns the commands whose words contain the query; without a query, the pages. */
export function commandsOf(query: string, actions: Actions | undefined): ItemGroup[] {
  const { shell } = texts();
  const { commands } = shell;
  const pages = (
    [
      'today',
      'orders',
      'cases',
      'money',
      'close',
      'journals',
      'imports',
      'sync',
      'actions',
      'help',
    ] as const
  ).map((name) => ({
    text: commands.open(shell[name]),
    run: opening(name === 'cases' ? casesAddress() : paths[name]),
  }));
  const others: Item[] = [
    { text: commands.importFile, run: opening(paths.imports) },
    {
      text: commands.exportOrders,
      detail: 'CSV',
      run: () => downloadAddress(exportAddress('orders', 'csv')),
    },
  ];
  if (actions !== undefined) {
    const { setLanguage, setTheme, signOut } = actions;
    others.push(
      ...themes.map((theme) => ({
        text: `${shell.theme}: ${shell.themes[theme]}`,
        run: () => setTheme(theme),
      })),
      ...Object.entries(languages).map(([code, { name }]) => ({
        text: `${shell.language}: ${name}`,
        run: () => setLanguage(code),
      })),
      { text: shell.signOut, run: signOut },
    );
  }
  const entry = journalEntryOfId(query);
  if (entry !== undefined) {
    others.push({
      text: `${shell.journals}: ${query.trim()}`,
      run: opening(
        addressOf(paths.journals, { export: String(entry.seq), entry: String(entry.entry) }),
      ),
    });
  }
  const wanted = query.trim().toLowerCase();
  const items =
    wanted === ''
      ? [...pages, ...others]
      : [...pages, ...others].filter(({ text }) => text.toLowerCase().includes(wanted));
  return items.length === 0 ? [] : [{ heading: commands.heading, items }];
}

/** Returns the most recently opened orders and cases. */
export function recentGroup(): ItemGroup[] {
  const { commands } = texts().shell;
  const items = recentItems().map(({ kind, text, path }) => ({
    text,
    detail: commands.kinds[kind],
    isId: true,
    run: opening(path),
  }));
  return items.length === 0 ? [] : [{ heading: commands.recent, items }];
}

/** Returns the results of a search, by kind. */
export function resultGroups({ groups }: Pick<SearchResult, 'groups'>): ItemGroup[] {
  const { shell } = texts();
  return groups.map(({ kind, count, more, hits }) => ({
    heading: shell.groups[kind],
    count: `${formats().number(count)}${more ? '+' : ''}`,
    items: hits.map(itemOf),
  }));
}

/**
 * Adds the groups of a second search to those of the first. If a group is in both, the fuller one
 * counts.
 */
export function mergedGroups(
  first: SearchResult['groups'],
  further: SearchResult['groups'],
): SearchResult['groups'] {
  const fuller = new Map(further.map((group) => [group.kind, group]));
  const kinds = new Set(first.map(({ kind }) => kind));
  return [
    ...first.map((group) => {
      const other = fuller.get(group.kind);
      return other !== undefined && other.count >= group.count ? other : group;
    }),
    ...further.filter(({ kind }) => !kinds.has(kind)),
  ];
}

function itemOf(hit: SearchHit): Item {
  const { common, shell } = texts();
  const { kind, value, name, orderKey = '', merchantOrderId, amount = 0, currency = '' } = hit;
  const order = `${common.order} ${merchantOrderId ?? orderKey}`;
  const money = formats().amount(amount, currency);
  const day = hit.at === undefined ? '' : formats().day(hit.at);
  switch (kind) {
    case 'order':
      return { text: value, detail: day, isId: true, run: opening(paths.order(orderKey)) };
    case 'case': {
      const what = [headlineText(hit.code ?? ''), money, order].join(' · ');
      return { text: value, detail: what, isId: true, run: opening(paths.case(value)) };
    }
    case 'amount': {
      const what =
        hit.code === undefined ? shell.amountOf[hit.of ?? 'expected'] : headlineText(hit.code);
      return { text: money, detail: `${what} · ${order}`, run: opening(paths.order(orderKey)) };
    }
    case 'lender':
      return { text: value, run: opening(addressOf(paths.orders, { lender: value })) };
    case 'person':
      return { text: value, run: opening(addressOf(paths.cases, { assignee: value })) };
    case 'import':
      return { text: name ?? value, detail: day, run: opening(paths.imports) };
    case 'reference':
    case 'charge':
    case 'transaction':
    case 'application':
      return { text: value, detail: order, isId: true, run: opening(paths.order(orderKey)) };
  }
}
