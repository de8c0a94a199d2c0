import { readFile } from 'node:fs/promises';
import { addDays } from '@financing-checkout/contract/money';
import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import {
  contentColumns,
  contentDigest,
  contentNames,
  copyContent,
  digestOf,
  ordinalOf,
} from '../analytics/content.ts';
import type { FactStore, FundingDay } from '../facts/store.ts';
import { sqlText } from '../platform/temporary-files.ts';
import type { Stage } from './stage.ts';
import type { ReadWindow } from './window.ts';

/** A record that was removed from a day, by its identity. */
export interface GoneFunding {
  name: string;
  orderKey: string;
}

export interface DayContent {
  /** SQL source of the rows, with a content's columns. */
  rows: string;
  count: number;
  /** See `contentDigest`. */
  digest: string;
  /** Number of records in the window that are dated neither to the day nor to an adjacent day. */
  strays: number;
}

/** Difference between a day's content and the previous one. */
export interface DayDifference {
  /** Number of new records and of records with changed content. */
  changed: number;
  gone: GoneFunding[];
  /** Removed or replaced records; undefined if there are none. */
  superseded: { count: number; digest: string; content: Uint8Array } | undefined;
}

const fields = contentNames.filter((name) => name !== 'ordinal');

/**
 * Combines the windows that may contain a day's records, and compares the result with the stored
 * content.
 */
export class DayContents {
  readonly #stage: Stage;
  readonly #calendar: Calendar;

  constructor(stage: Stage, calendar: Calendar) {
    this.#stage = stage;
    this.#calendar = calendar;
  }

  /**
   * Finds all of a day's records in its own window and the adjacent ones, because the service's day
   * boundaries may differ from ours. A window has all records with the same timestamp or none of
   * them, so a record that is in two windows occurs equally often in both.
   */
  async join<Result>(
    day: string,
    own: ReadWindow,
    beside: readonly ReadWindow[],
    task: (content: DayContent) => Promise<Result>,
  ): Promise<Result> {
    const [start, end] = [this.#calendar.startOf(day), this.#calendar.startOf(addDays(day, 1))];
    const isOfDay = `counted and funded_at >= ${start} and funded_at < ${end}`;
    const owned =
      own.table === undefined
        ? `(select ${fields.map((name) => `null::${contentColumns[name]} as ${name}`).join(', ')} where false)`
        : `(select ${fields.join(', ')} from ${own.table} where (${isOfDay} or (counted and funded_at is null)))`;
    const others = beside.flatMap(({ table }) => table ?? []);
    const near = others.map((table) => `exists (from ${table} where ${isOfDay})`);
    const [row = []] = await this.#stage.rows(`
      select count(*), count(distinct identity), ${digestOf('1')}, ${near.join(' or ') || 'false'},
        ${this.#strays(day, own)}
      from ${owned}`);
    const [count, identities, digest, isBeside, strays] = row;
    if (isBeside !== true && count === identities) {
      return task({
        rows: `(select *, 1::integer as ordinal from ${owned})`,
        count: Number(count),
        digest: String(digest),
        strays: Number(strays),
      });
    }
    const sources = [
      `select 0 as source, * from ${owned}`,
      ...others.map(
        (table, at) =>
          `select ${at + 1} as source, ${fields.join(', ')} from ${table} where ${isOfDay}`,
      ),
    ];
    const table = `day_${this.#stage.nextNumber()}`;
    const any = fields
      .filter((name) => name !== 'hash')
      .map((name) => `any_value(${name}) as ${name}`);
    try {
      await this.#stage.rows(`
        create table ${table} as
        select *, ${ordinalOf} as ordinal from (
          select hash, ${any.join(', ')} from (
            select *, row_number() over (partition by source, hash) as copy
            from (${sources.join(' union all ')}))
          group by hash, copy)`);
      const [joined = []] = await this.#stage.rows(
        `select count(*), ${contentDigest} from ${table}`,
      );
      return await task({
        rows: table,
        count: Number(joined[0]),
        digest: String(joined[1]),
        strays: Number(strays),
      });
    } finally {
      await this.#stage.drop(table);
    }
  }

  /** Returns the SQL expression that counts other days' records in a window. */
  #strays(day: string, { table }: ReadWindow): string {
    if (table === undefined) return '0';
    const [start, end] = [
      this.#calendar.startOf(addDays(day, -1)),
      this.#calendar.startOf(addDays(day, 2)),
    ];
    return `(select count(*) from ${table} where counted and (funded_at < ${start} or funded_at >= ${end}))`;
  }

  /** Returns rows with a content's columns as Parquet. */
  async pack(rows: string): Promise<Uint8Array> {
    const { files } = this.#stage;
    const path = files.path('content', '.parquet');
    try {
      await this.#stage.rows(copyContent(rows, path));
      return await readFile(path);
    } finally {
      await files.remove([path]);
    }
  }

  /** Compares a day's records with its content in the record store. */
  async compare(
    rows: string,
    facts: Pick<FactStore, 'content'>,
    known: FundingDay,
  ): Promise<DayDifference> {
    const content = await facts.content(known.day);
    if (content === undefined) throw new Error('A day has no content.');
    const before = { name: 'before', content, ending: '.parquet' };
    return this.#stage.files.with([before], async ([path = '']) => {
      const [old, now] = [`old_${this.#stage.nextNumber()}`, `now_${this.#stage.nextNumber()}`];
      const matches = 'n.identity = o.identity and n.ordinal = o.ordinal';
      try {
        await this.#stage.rows(
          `create table ${old} as select * from read_parquet(${sqlText(path)})`,
        );
        await this.#stage.rows(`create view ${now} as select * from ${rows}`);
        const [[changed] = []] = await this.#stage.rows(
          `select count(*) from ${now} n
           where not exists (select 1 from ${old} o where ${matches} and n.hash = o.hash)`,
        );
        const name = `o.identity || case when o.ordinal = 1 then '' else '~' || o.ordinal end`;
        const gone = await this.#stage.rows(`
          select ${name}, case when o.merchant_order_id is null then 'funding:' || ${name} else 'order:' || o.merchant_order_id end
          from ${old} o where not exists (select 1 from ${now} n where ${matches})`);
        const superseded = `(select * from ${old} o
          where not exists (select 1 from ${now} n where ${matches} and n.hash = o.hash))`;
        const [[count, digest] = []] = await this.#stage.rows(
          `select count(*), ${contentDigest} from ${superseded}`,
        );
        return {
          changed: Number(changed),
          gone: gone.map(([name, orderKey]) => ({
            name: String(name),
            orderKey: String(orderKey),
          })),
          superseded:
            Number(count) === 0
              ? undefined
              : {
                  count: Number(count),
                  digest: String(digest),
                  content: await this.pack(superseded),
                },
        };
      } finally {
        await this.#stage.rows(`drop view if exists ${now}`);
        await this.#stage.drop(old);
      }
    });
  }
}
