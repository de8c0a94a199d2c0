import {
  type LedgerStartAnswer,
  ledgerStartAnswers,
  type SetUpState,
} from '@financing-checkout/contract/reconciliation';
import { ledgerStartKey, lenderOf, type Policy } from '@financing-checkout/reconciliation-rules';
import { z } from 'zod';
import { readDetail } from '../facts/schema.ts';
import type { TrailFacts } from '../facts/trail.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';

/** Ledger starts. Empty during set-up, when there is no ledger. */
type LedgerStarts = NonNullable<Policy['ledgerStarts']>;

/** Answers on whether fundings that predate the ledger belong in it, keyed by lender. */
export type LedgerStartAnswers = ReadonlyMap<string, LedgerStartAnswer>;

const ANSWERS_PER_PAGE = 500;
const detailSchema = z.object({ answer: z.enum(ledgerStartAnswers) });

/** Returns people's last answer about each lender in a currency, from the trail. */
export async function readLedgerStartAnswers(
  facts: Pick<TrailFacts, 'trail'>,
  policy: Pick<Policy, 'aliases'>,
): Promise<LedgerStartAnswers> {
  const answers = new Map<string, LedgerStartAnswer>();
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = await facts.trail(before, ANSWERS_PER_PAGE, { kinds: ['ledger-start'] });
    for (const { begun, ended } of page) {
      const { detail, subject } = begun;
      const key = ledgerStartKey(subject.slice(0, 3), lenderOf(subject.slice(4), policy));
      const answer = detailSchema.safeParse(readDetail(detail)).data?.answer;
      if (ended?.outcome !== 'done' || answer === undefined || answers.has(key)) continue;
      answers.set(key, answer);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < ANSWERS_PER_PAGE) return answers;
    before = last.begun.seq;
  }
}

/** Returns an answer's subject in the trail: the currency, and the lender if one is named. */
export function ledgerStartSubject(currency: string, lender: string): string {
  return lender === '' ? currency : ledgerStartKey(currency, lender);
}

/** Returns whether a ledger exists. Withdrawing all lines does not put it back in set-up. */
export async function readSetUpState(connection: DuckDBConnection): Promise<SetUpState> {
  const found = await connection.runAndReadAll(
    'select exists (from ledger_lines) or exists (from withdrawn_lines)',
  );
  return found.getRows()[0]?.[0] === true ? 'ready' : 'set-up';
}

/**
 * Returns the time of the first ledger line of each currency, and of each lender in it, with their
 * canonical text. A line's lender is that of the funding that pays it. If all lines in a currency
 * were withdrawn, all its fundings are judged. So are all of a lender's fundings if a person
 * answered that the ledger should contain them.
 */
export async function readLedgerStarts(
  connection: DuckDBConnection,
  answers: LedgerStartAnswers = new Map(),
): Promise<{ starts: LedgerStarts; text: string }> {
  const found = await connection.runAndReadAll(`
    select currency, null as lender, min(occurred_at) as moment from ledger_lines group by currency
    union all
    select distinct currency, null, 0 from withdrawn_lines
    where currency not in (select currency from ledger_lines)
    union all
    select currency, lender, min(moment) from (
      select currency, lender, settled_at as moment from paid_lines
      union all select currency, lender, moved_at from cash_flows
      where step = 'expected' and lender <> '')
    group by all
    order by all`);
  const starts = new Map(
    found
      .getRows()
      .map(([currency, lender, at]): [string, number] => [
        ledgerStartKey(String(currency), lender === null ? undefined : String(lender)),
        Number(at),
      ]),
  );
  for (const [key, answer] of answers) if (answer === 'missing') starts.set(key, 0);
  return { starts, text: JSON.stringify([...starts]) };
}
