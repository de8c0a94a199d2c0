import type { Context, Handler, Hono, Next } from 'hono';
import type { z } from 'zod';
import { type HttpEnv, ofHttp } from './env.ts';
import { ProblemError, type WrongField } from './problem-error.ts';
import { noteRoute, type Route } from './route.ts';

/** Returns the parsed value, or the invalid fields without their values. */
export type CheckFields = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
) => { success: true; data: z.output<Schema> } | { success: false; errors: WrongField[] };

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : never;
type QueryOf<R extends Route> = R extends { query: infer Schema } ? Output<Schema> : never;
type BodyOf<R extends Route> = R extends { body: { schema: infer Schema } }
  ? Output<Schema>
  : never;

/** The parsed input of a request. Each part is parsed when the handler asks for it. */
export interface Input<R extends Route> {
  /** @throws {ProblemError} `invalid-request` */
  query(): QueryOf<R>;
  /** @throws {ProblemError} `media-type-unsupported`, or `invalid-request` with an error per field */
  body(): BodyOf<R>;
}

export type RouteHandler<E extends HttpEnv, R extends Route> = (
  c: Context<E, R['path']>,
  input: Input<R>,
  next: Next,
) => Response | Promise<Response | undefined>;

/** Creates the functions that parse requests and serve routes. */
export function createServing<E extends HttpEnv>(checkFields: CheckFields) {
  /** Parses a value of a request. @throws {ProblemError} `invalid-request` */
  function parseValue<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
    const checked = checkFields(schema, value);
    if (checked.success) return checked.data;
    throw new ProblemError('invalid-request', { errors: checked.errors });
  }

  function required<Schema>(schema: Schema | undefined, { id }: Route): Schema {
    if (schema === undefined) throw new TypeError(`The route ${id} has no such schema.`);
    return schema;
  }

  /** Serves a route of an app: `handle` parses, calls one function, and answers. */
  function serve<R extends Route>(app: Hono<E>, route: R, handle: RouteHandler<E, R>): void {
    const answer = (c: Context<E, R['path']>, next: Next) => {
      const input = {
        query: () => parseValue(required(route.query, route), queryOf(c as Context)),
        body: () => parseValue(required(route.body?.schema, route), jsonOf(c as Context)),
      };
      return handle(c, input as Input<R>, next);
    };
    noteRoute(answer, route);
    app.on(route.method.toUpperCase(), [route.path], answer as Handler<E>);
  }

  return { parseValue, serve };
}

/**
 * Returns the query parameters of a request. A repeated parameter stays an array, so that a string
 * schema rejects it: a response for the first value would look like a response for both.
 */
export function queryOf(c: Context): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );
}

const jsonType = /^application\/json\s*(?:;|$)/i;

function jsonOf(c: Context): unknown {
  // Hono's validator would let a body with another media type through unchecked. A form on another
  // site cannot send this media type.
  if (!jsonType.test(c.req.header('content-type') ?? '')) {
    throw new ProblemError('media-type-unsupported', {
      detail: 'Send "Content-Type: application/json".',
    });
  }
  try {
    return JSON.parse(ofHttp(c).get('body'));
  } catch {
    throw new ProblemError('invalid-request', { detail: 'The body is not JSON.' });
  }
}
