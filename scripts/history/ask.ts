/** A request with JSON or text; without a body it is a GET. */
export interface Question {
  token?: string;
  body?: object | string;
  headers?: Record<string, string>;
}

/** Sends a request. @returns the answer's JSON @throws {Error} with the answer, if it is not 2xx */
export async function ask<Body>(url: string, question: Question = {}): Promise<Body> {
  const { token, body, headers } = question;
  const answer = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text) as Body;
  throw new Error(`${new URL(url).pathname} was answered ${answer.status}: ${text.slice(0, 300)}`);
}
