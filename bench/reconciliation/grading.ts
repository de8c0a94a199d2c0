import { type Found, type Grade, grade } from '../../tests/reconciliation/grade.ts';
import { type History, truthOf } from '../../tests/reconciliation/history.ts';
import type { Reconciliation } from './program.ts';

/** The program's findings, compared with the truth of the history. */
export interface Graded {
  grade: Grade;
  /** Sums that differ from the truth, as sentences. */
  wrongTotals: string[];
  orders: number;
}

/**
 * Grades all exceptions, and compares sums over all orders, the walk and the days with the truth.
 */
export async function gradeAll(history: History, program: Reconciliation): Promise<Graded> {
  const graded = await grade(truthOf(history), found(program));
  const { truth, unexplained } = await totalsOfTruth(history);
  const { totals, orders } = await totalsOfOrders(program);
  const wrongTotals: string[] = [];
  const compare = (what: string, is: number, wanted: number) => {
    if (is !== wanted) wrongTotals.push(`${what} is ${is}, and should be ${wanted}`);
  };
  for (const [name, wanted] of Object.entries(truth)) {
    compare(`sum of ${name}`, totals[name] ?? 0, wanted);
  }
  const { statements } = await program.get<{ statements: Statement[] }>('/walk');
  const sum = (name: keyof Statement) =>
    statements.reduce((all, statement) => all + statement[name], 0);
  compare('expected of the walk', sum('expected'), truth['expected.settle'] ?? 0);
  compare('unexplained of the walk', sum('unexplained'), unexplained);
  const { days } = await program.get<{ days: { state: string; records: number }[] }>('/days');
  const records = days.reduce((all, day) => all + day.records, 0);
  compare('records of all days', records, history.summary.fundings);
  compare('days that are not proven', days.filter(({ state }) => state !== 'complete').length, 0);
  return { grade: graded, wrongTotals, orders };
}

/** Returns the key of a funding without an order, from its lender's reference and type. */
const keyOfFunding = /^funding:r\.(.+)\.[^.~]*(?:~\d+)?$/;

async function* found(program: Reconciliation): AsyncGenerator<Found> {
  for await (const { orderKey, merchantOrderId, currency, code, amount } of program.records(
    'exceptions',
  )) {
    const key = String(orderKey);
    yield {
      name:
        typeof merchantOrderId === 'string'
          ? merchantOrderId
          : `reference ${keyOfFunding.exec(key)?.[1] ?? key}`,
      currency: String(currency),
      code: String(code),
      amount: Number(amount),
    };
  }
}

interface Statement {
  expected: number;
  unexplained: number;
}

type Totals = Record<string, number>;
type Sums = Record<'expected' | 'funded', Record<string, number>>;

function add(totals: Totals, { expected, funded }: Sums): void {
  for (const [side, sums] of Object.entries({ expected, funded })) {
    for (const [name, amount] of Object.entries(sums)) {
      totals[`${side}.${name}`] = (totals[`${side}.${name}`] ?? 0) + amount;
    }
  }
}

async function totalsOfTruth(history: History): Promise<{ truth: Totals; unexplained: number }> {
  const truth: Totals = {};
  let unexplained = 0;
  for await (const order of truthOf(history)) {
    add(truth, order as unknown as Sums);
    for (const { code, amount } of order.exceptions) {
      // A duplicate pays nothing, and no step of the walk explains an inconsistent net amount.
      if (code === 'DUPLICATE_FUNDING') add(truth, { expected: {}, funded: { settle: -amount } });
      if (code === 'NET_MISMATCH') unexplained += amount;
    }
  }
  return { truth, unexplained };
}

async function totalsOfOrders(
  program: Reconciliation,
): Promise<{ totals: Totals; orders: number }> {
  const totals: Totals = {};
  let orders = 0;
  for await (const order of program.records('orders')) {
    add(totals, order as unknown as Sums);
    orders += 1;
  }
  return { totals, orders };
}
