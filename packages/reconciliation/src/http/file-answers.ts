import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { columnsOf, flatRows } from '@financing-checkout/kit';
import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import type { Engine } from '../engine/engine.ts';
import { describeError } from '../platform/log.ts';
import { Places } from '../platform/places.ts';
import { ProblemError } from '../platform/problem.ts';
import { inExportSpan } from '../platform/tracing.ts';
import { listBytes } from '../queries/exports/list-file.ts';
import { type Env, serve } from './context.ts';
import type { DeclaredRoute } from './operation.ts';
import type { fileQuery } from './queries.ts';
import { SlowClientError, streamOf } from './stream.ts';
import { detailOf, recordFile } from './trail.ts';

/** Media types by format name. */
export const fileTypes = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  xlsx: WORKBOOK_TYPE,
};

/** Maximum duration of a download, in milliseconds. */
const LONGEST_MS = 1_800_000;
/** Maximum number of concurrent downloads per token, from the request to the last byte. */
const OF_ONE_TOKEN = 2;
const OF_ALL_TOKENS = 8;

export type Pieces = AsyncIterable<Uint8Array> & { destroy?: () => void };

export interface AnsweredFile {
  /** File name without its extension. */
  name: string;
  format: keyof typeof fileTypes;
  /** The selected part, for the trail. */
  detail: Readonly<Record<string, unknown>>;
  /** Whether a download may take longer than a table's. */
  isUnlimited?: boolean;
  /** Prepares the file before the response begins, so that most failures can still set a status. */
  open: () => Promise<Pieces>;
}

/**
 * Responds with files: limits concurrent downloads, records them in the trail, and disconnects
 * clients that stop reading.
 */
export type FileAnswers = (c: Context<Env>, file: AnsweredFile) => Promise<Response>;

export function createFileAnswers(engine: Engine): FileAnswers {
  const places = new Places({
    ofOne: OF_ONE_TOKEN,
    ofAll: OF_ALL_TOKENS,
    retryAfterSeconds: 10,
    oneIsFull: `This token has ${OF_ONE_TOKEN} exports already: retry when one of them has been downloaded.`,
    allIsFull: 'Too many exports are running: retry in a moment.',
  });
  return async function answerFile(c, { name, format, detail, isUnlimited, open }) {
    const leave = places.take(c.get('actor'));
    try {
      const headers = {
        'content-type': fileTypes[format],
        'content-disposition': `attachment; filename="${name}.${format}"`,
      };
      if (c.req.method === 'HEAD') {
        leave();
        return c.body(null, 200, headers);
      }
      const taken = { subject: name, detail: { ...detailOf(detail), format } };
      const pieces = await recordFile(engine, c, taken, () =>
        inExportSpan({ table: name, format }, open),
      );
      const requestId = c.get('requestId');
      const body = streamOf(pieces, {
        clock: engine.clock,
        ...(isUnlimited !== true && { longestMs: LONGEST_MS }),
        onEnd: () => {
          pieces.destroy?.();
          leave();
        },
        onFailure: (error) => {
          const why = error instanceof ProblemError ? { code: error.code } : describeError(error);
          const level = error instanceof SlowClientError ? 'warn' : 'error';
          engine.logger.log(level, 'export-cut-off', { requestId, ...why });
        },
      });
      return c.body(body, 200, headers);
    } catch (error) {
      leave();
      throw error;
    }
  };
}

/** How lists are answered. */
interface Tables {
  answerFile: FileAnswers;
  engine: Engine;
  rows: number;
  /** Responds with a page; by default, without an ETag. */
  respond?: (c: Context<Env>, answer: () => Promise<object>) => Promise<Response>;
}

const answerJson = async (c: Context<Env>, answer: () => Promise<object>) => c.json(await answer());

type TableRoute = DeclaredRoute & { query: z.ZodObject };

/**
 * Serves a list: one page as JSON, or all rows as a file if `format` is set.
 * @param read returns the rows after a cursor (the previous answer's `next`), at most `rows` for a
 * file
 */
export function serveTable<One extends TableRoute>(
  app: Hono<Env>,
  { answerFile, engine, rows, respond = answerJson }: Tables,
  route: One,
  read: (c: Context<Env>, query: z.output<One['query']>) => Promise<Answer>,
): void {
  const { table, verb } = route;
  if (table === undefined || verb === undefined) throw new TypeError(`${route.id} is no table.`);
  const name = verb.name.replaceAll(' ', '-');
  serve(app, route as TableRoute, async (c, input) => {
    const query = input.query() as z.output<One['query']> & FileQuery;
    const { format, bom, decimal, times, zone = engine.config.sync.zone, ...filter } = query;
    if (format === undefined) return respond(c, () => read(c, query));
    const pageAfter = (after: Answer['next']) => read(c, { ...query, after, limit: rows });
    return answerFile(c, {
      name,
      format,
      detail: { ...c.req.param(), ...partOf(filter) },
      open: async () => {
        const first = await pageAfter(undefined);
        const pages = async function* () {
          for (let answer = first; ; answer = await pageAfter(answer.next)) {
            yield flatRows(table, answer);
            if (answer.next === undefined) return;
          }
        };
        const columns = columnsOf(table);
        return listBytes({ name, columns }, pages(), { format, bom, decimal, times, zone });
      },
    });
  });
}

/** Returns the filter without paging, because a file contains all pages. */
const partOf = (filter: object) =>
  Object.fromEntries(
    Object.entries(filter).filter(([field]) => field !== 'after' && field !== 'limit'),
  );

type FileQuery = z.output<z.ZodObject<typeof fileQuery>>;
type Answer = object & { next?: string | number | undefined };
