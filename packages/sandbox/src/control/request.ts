import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';

/** The body as JSON. @throws {HTTPException} 400, which says that it is none */
export async function json(c: Context): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text()) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new HTTPException(400, { res: refuse(c, 'the body is not valid JSON') });
  }
}

/** An answer that says what was wrong with a request. */
export function refuse(c: Context, error: string, status: 400 | 404 | 409 | 422 = 400) {
  return c.json({ error }, status);
}
