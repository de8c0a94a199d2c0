import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { Chance } from '../../bench/fuzz/chance.ts';
import type { Service } from './companion.ts';
import { type History, truthOf } from './history.ts';

/** The fields of a report record that are needed to restore it. */
interface ReportRecord {
  status: string;
  transactionType: string;
  transactionAmount: number;
  discountAmount: number;
  fundedAt: string;
  lenderName: string;
  transactionId?: string;
  merchantOrderId?: string;
  lenderReferenceId?: string;
}

const PAGE = 1_000;

/** Returns one page of the report over HTTPS, as text. */
export function reportPage(service: Service, query: Record<string, string>): Promise<string> {
  const url = new URL('/v2/post-sale/fundings/report', service.apiUrl);
  url.search = new URLSearchParams({ showMissing: 'true', ...query }).toString();
  const key = readFileSync(service.privateKeyFile, 'utf8').trim();
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      { ca: readFileSync(service.caFile), headers: { authorization: `Bearer ${key}` } },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`the report answered ${response.statusCode ?? 0}`));
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

/**
 * Removes, re-dates and falsifies fundings of good orders. `settle` corrects them one by one during
 * a sync, so that new fundings arrive and old ones move between days. At the end everything matches
 * the truth.
 */
export async function unsettle(
  service: Service,
  history: History,
  count: number,
): Promise<{ settle: (isOver: () => boolean) => Promise<number> }> {
  const good = new Set<string>();
  for await (const { merchantOrderId, kind } of truthOf(history)) {
    if (kind === 'none' && merchantOrderId !== null) good.add(merchantOrderId);
  }
  const page = await reportPage(service, { limit: String(PAGE), offset: '0' });
  const { records } = JSON.parse(page) as { records: ReportRecord[] };
  const chosen = records
    .filter((it) => it.status === 'RECONCILED' && good.has(it.merchantOrderId ?? ''))
    .slice(0, count);
  const byTransaction = ({ transactionId }: ReportRecord) => ({ transactionId });
  for (const [index, record] of chosen.entries()) {
    if (index % 2 === 0)
      await control(service, '/funding-changes', { ...byTransaction(record), remove: true });
    else {
      const moved = new Date(Date.parse(record.fundedAt) + 3 * 86_400_000).toISOString();
      const change = { fundedAt: moved, transactionAmount: oneMore(record.transactionAmount) };
      await control(service, '/funding-changes', { ...byTransaction(record), change });
    }
  }
  const lenders = (await control(service, '/lenders')) as {
    lenders: { id: string; name: string }[];
  };
  return {
    async settle(isOver) {
      let during = 0;
      for (const [index, record] of chosen.entries()) {
        const { transactionAmount, fundedAt, transactionId, merchantOrderId } = record;
        if (index % 2 === 0) {
          await control(service, '/fundings', {
            lenderId: lenders.lenders.find(({ name }) => name === record.lenderName)?.id,
            transactionType: record.transactionType,
            amount: transactionAmount,
            discount: record.discountAmount,
            transactionId,
            merchantOrderId,
          });
        } else {
          const change = { fundedAt, transactionAmount };
          await control(service, '/funding-changes', { ...byTransaction(record), change });
        }
        if (!isOver()) during += 1;
      }
      return during;
    },
  };
}

/** Changes one funding. */
export function changeFunding(
  service: Service,
  lenderReferenceId: string,
  change: { fundedAt?: string; transactionAmount?: number },
): Promise<unknown> {
  return control(service, '/funding-changes', { lenderReferenceId, change });
}

/** Changes fundings like lenders do: amounts, days, removals. */
export async function changeFundings(
  service: Service,
  chance: Chance,
  count: number,
): Promise<void> {
  const records: ReportRecord[] = [];
  for (let size = PAGE; size === PAGE;) {
    const query = { limit: String(PAGE), offset: String(records.length) };
    const page = JSON.parse(await reportPage(service, query)) as { records: ReportRecord[] };
    records.push(...page.records);
    size = page.records.length;
  }
  const named = records.filter(({ lenderReferenceId }) => lenderReferenceId !== undefined);
  named.sort((a, b) => ((a.lenderReferenceId ?? '') < (b.lenderReferenceId ?? '') ? -1 : 1));
  for (let changed = 0; changed < count && named.length > 0; changed++) {
    const [record] = named.splice(chance.whole(0, named.length - 1), 1);
    if (record === undefined) return;
    const { lenderReferenceId, fundedAt, transactionAmount } = record;
    const kind = chance.whole(0, 9);
    const moved = new Date(Date.parse(fundedAt) - 86_400_000).toISOString();
    await control(service, '/funding-changes', {
      lenderReferenceId,
      ...(kind === 0
        ? { remove: true }
        : {
            change:
              kind < 3 ? { fundedAt: moved } : { transactionAmount: oneMore(transactionAmount) },
          }),
    });
  }
}

/**
 * Adds one, and rounds off the digits that binary fractions leave: no currency here has a fourth
 * decimal.
 */
function oneMore(amount: number): number {
  return Number((amount + 1).toFixed(3));
}

/** Sends one request to the sandbox's control API. */
export async function control(service: Service, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${service.controlUrl}${path}`, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const answer: unknown = await response.json();
  if (!response.ok)
    throw new Error(`${path} was answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}
