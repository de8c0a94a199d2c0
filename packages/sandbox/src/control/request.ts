import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';

/** Reads a JSON body of any shape. @throws {HTTPException} 400 for a body that is not JSON */
export async function readJson(c: Context): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text()) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new HTTPException(400, { res: refuse(c, 'the body is not valid JSON') });
  }
}

/** Reads a JSON body of a schema. @throws {HTTPException} 400 with the reason */
export async function readBody<T extends z.ZodType>(c: Context, schema: T): Promise<z.output<T>> {
  const body = schema.safeParse(await readJson(c));
  if (body.success) return body.data;
  throw new HTTPException(400, { res: refuse(c, z.prettifyError(body.error)) });
}

/** Answers a request with the reason of its refusal. */
export function refuse(c: Context, error: string, status: 400 | 404 | 409 | 422 = 400) {
  return c.json({ error }, status);
}
