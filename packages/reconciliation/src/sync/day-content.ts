import { addDays, type Calendar } from '@financing-checkout/contract/calendar';
import { unpackText } from '../facts/content.ts';
import type { FactStore, FundingDay } from '../facts/store.ts';
import { sqlText } from '../platform/temporary-files.ts';
import type { Stage } from './stage.ts';
import type { ReadWindow } from './window.ts';

/** A record that was removed from a day, by its identity. */
export interface GoneFunding {
  name: string;
  orderKey: string;
}

/** A day's content and its difference from the previous content. */
export interface DayContent {
  count: number;
  /** NDJSON. */
  text: Uint8Array;
  /** Number of records in the window that are dated neither to the day nor to an adjacent day. */
  strays: number;
}

export interface DayDifference {
  /** Number of new records and of records with changed content. */
  changed: number;
  gone: GoneFunding[];
  /** Lines of removed or replaced records. */
  superseded: { count: number; text: Uint8Array };
}

/**
 * Combines the windows that may contain records of a day, and compares the result with the stored
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
   * Creates a table of all records of a day from its own window and the adjacent ones, because the
   * service's day boundaries may differ from ours. A window has either all records with the same
   * timestamp or none of them, so a record that is in two windows occurs equally often in both.
   */
  async join<Result>(
    day: string,
    own: ReadWindow,
    beside: readonly ReadWindow[],
    task: (table: string, content: DayContent) => Promise<Result>,
  ): Promise<Result> {
    const [start, end] = this.#bounds(day);
    const isOfDay = `posted >= ${start} and posted < ${end}`;
    const sources = [own, ...beside].flatMap(({ table }, index) =>
      table === undefined
        ? []
        : `select ${index} as source, identity, hash, line from ${table} where counted and
           (${isOfDay}${index === 0 ? ' or posted is null' : ''})`,
    );
    const table = `day_${this.#stage.nextNumber()}`;
    const none =
      'select 0 as source, null::varchar as identity, null::varchar as hash, null::varchar as line where false';
    try {
      await this.#stage.rows(`
        create table ${table} as
        select *, row_number() over (partition by identity order by hash, line) as ordinal from (
          ${
            (await this.#isAlone(beside, isOfDay))
              ? (sources[own.table === undefined ? -1 : 0] ?? none)
              : `select any_value(identity) as identity, hash, any_value(line) as line from (
                   select *, row_number() over (partition by source, hash) as copy
                   from (${sources.join(' union all ') || none})
                 ) group by hash, copy`
          }
        )`);
      const [row] = await this.#stage.rows(
        `select count(*), encode(string_agg(line || chr(10), '' order by identity, ordinal)) from ${table}`,
      );
      const content = {
        count: Number(row?.[0]),
        text: bytesOf(row?.[1]),
        strays: await this.#strays(day, own),
      };
      return await task(table, content);
    } finally {
      await this.#stage.drop(table);
    }
  }

  async #isAlone(beside: readonly ReadWindow[], isOfDay: string): Promise<boolean> {
    for (const { table } of beside) {
      if (table === undefined) continue;
      const found = await this.#stage.rows(`select 1 from ${table} where ${isOfDay} limit 1`);
      if (found.length > 0) return false;
    }
    return true;
  }

  async #strays(day: string, { table }: ReadWindow): Promise<number> {
    if (table === undefined) return 0;
    const [start, end] = [
      this.#calendar.startOf(addDays(day, -1)),
      this.#calendar.startOf(addDays(day, 2)),
    ];
    const [row] = await this.#stage.rows(
      `select count(*) from ${table} where counted and (posted < ${start} or posted >= ${end})`,
    );
    return Number(row?.[0]);
  }

  #bounds(day: string): [start: number, end: number] {
    return [this.#calendar.startOf(day), this.#calendar.startOf(addDays(day, 1))];
  }

  /** Compares the table of a day with the day's content in the record store. */
  async compare(
    table: string,
    facts: Pick<FactStore, 'content'>,
    known: FundingDay,
  ): Promise<DayDifference> {
    const content = await facts.content(known.day);
    if (content === undefined) throw new Error('A day has no content.');
    const text = unpackText({ content, sha256: known.sha256, count: known.count });
    return this.#stage.files.with([{ name: 'before', content: text }], async ([path = '']) => {
      const old = `old_${this.#stage.nextNumber()}`;
      const file = `read_json_objects(${sqlText(path)}, format = 'newline_delimited')`;
      try {
        await this.#stage.rows(`
          create table ${old} as
          select *, row_number() over (partition by identity order by hash, line) as ordinal from (
            select json::varchar as line, part[1] as identity, part[2] as hash, part[3] as merchant_order_id from (
              select json, json_extract_string(json, ['$.identity', '$.hash', '$.merchantOrderId']) as part
              from ${text.byteLength === 0 ? `(select null::json as json where false)` : file}))`);
        const matches = 'n.identity = o.identity and n.ordinal = o.ordinal';
        const [[changed] = []] = await this.#stage.rows(
          `select count(*) from ${table} n where not exists (select 1 from ${old} o where ${matches} and n.hash = o.hash)`,
        );
        const name = `o.identity || case when o.ordinal = 1 then '' else '~' || o.ordinal end`;
        const gone = await this.#stage.rows(`
          select ${name}, case when o.merchant_order_id is null then 'funding:' || ${name} else 'order:' || o.merchant_order_id end
          from ${old} o where not exists (select 1 from ${table} n where ${matches})`);
        const [[count, lines] = []] = await this.#stage.rows(`
          select count(*), encode(string_agg(line || chr(10), '' order by identity, ordinal)) from ${old} o
          where not exists (select 1 from ${table} n where ${matches} and n.hash = o.hash)`);
        return {
          changed: Number(changed),
          gone: gone.map(([name, orderKey]) => ({
            name: String(name),
            orderKey: String(orderKey),
          })),
          superseded: { count: Number(count), text: bytesOf(lines) },
        };
      } finally {
        await this.#stage.drop(old);
      }
    });
  }
}

/** Returns the bytes of a DuckDB blob; empty if there is none. */
function bytesOf(blob: unknown): Uint8Array {
  if (typeof blob !== 'object' || blob === null || !('bytes' in blob)) return new Uint8Array();
  return blob.bytes as Uint8Array;
}
