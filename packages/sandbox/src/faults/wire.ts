import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { ErrorDescription } from '../platform/service-error.ts';
import { resetConnection } from '../listener/listener.ts';
import type { SetFault } from './faults.ts';

/** A call that a fault applies to. */
interface StruckCall {
  /** The response stream. */
  outgoing: ServerResponse;
  requestId: string;
  /** Performs the operation once and returns its real response; never rejects. */
  perform: () => Promise<Response>;
  /** Returns the documented body of an error of the operation; null where none is defined. */
  errorBody: (error: ErrorDescription) => object | null;
  /** Aborted when the sandbox stops. */
  ending: AbortSignal;
}

/** The result of a fault: a response to send, or one that the fault has already sent. */
interface WireAnswer {
  response: Response;
  /** The sent status; 0 if there is none. */
  status: number;
}

/** Applies a fault to a call. `when` determines whether the operation takes effect. */
export async function answerWith(fault: SetFault, call: StruckCall): Promise<WireAnswer> {
  if (fault.kind === 'latency') return late(fault, call);
  const truth = fault.when === 'after' ? await call.perform() : undefined;
  switch (fault.kind) {
    case 'reset':
      resetConnection(call.outgoing.socket);
      return noAnswer;
    case 'hang':
      // Not awaited, so that the log lists the call while it hangs.
      void untilClientLeaves(call);
      return noAnswer;
    case 'half-body':
      return sent(call, truth, async (body) => {
        await write(call.outgoing, body.subarray(0, Math.floor(body.length / 2)));
        resetConnection(call.outgoing.socket);
      });
    case 'drip':
      return sent(call, truth, (body) => drip(call, body, fault.delay));
    case 'empty-body':
      return whole(truth?.status ?? 200, truth?.headers, '');
    case 'wrong-json':
      return whole(truth?.status ?? 200, undefined, await brokenJson(fault, call, truth));
    case 'html':
      return whole(fault.status, html, fault.body ?? gatewayPage(fault.status));
    case 'redirect':
      return whole(fault.status, new Headers({ location: fault.location }), '');
    case 'status':
      return failed(fault, call);
    case 'refused':
    case 'dropped':
      throw new Error('A fault of connections cannot strike a call.');
  }
}

const noAnswer: WireAnswer = { response: RESPONSE_ALREADY_SENT, status: 0 };
const html = new Headers({ 'content-type': 'text/html; charset=utf-8' });

/**
 * Responds after a delay. A client that stops waiting does not cancel the effect, which is the
 * hazard of a timeout.
 */
async function late(fault: SetFault, call: StruckCall): Promise<WireAnswer> {
  const early = fault.when === 'after' ? await call.perform() : undefined;
  try {
    await wait(fault.delay, undefined, { signal: call.ending });
  } catch {
    // The sandbox is stopping, so the operation is not performed.
    call.outgoing.destroy();
    return noAnswer;
  }
  const response = early ?? (await call.perform());
  return { response, status: response.status };
}

/** Sends the status and headers of the real response and passes its body to `send`. */
async function sent(
  call: StruckCall,
  truth: Response | undefined,
  send: (body: Buffer) => Promise<void>,
): Promise<WireAnswer> {
  const answer = truth ?? (await call.perform());
  const body = Buffer.from(await answer.arrayBuffer());
  const headers: OutgoingHttpHeaders = Object.fromEntries(answer.headers);
  call.outgoing.writeHead(answer.status, {
    ...headers,
    'content-length': body.length,
    'x-request-id': call.requestId,
  });
  call.outgoing.flushHeaders();
  void send(body);
  return { response: RESPONSE_ALREADY_SENT, status: answer.status };
}

async function drip({ outgoing, ending }: StruckCall, body: Buffer, delay: number) {
  try {
    for (const byte of body) {
      await wait(delay, undefined, { signal: ending });
      if (outgoing.destroyed) return;
      await write(outgoing, Buffer.of(byte));
    }
    outgoing.end();
  } catch {
    // The sandbox is stopping.
    outgoing.destroy();
  }
}

/** Resolves when the bytes are written, or when the client has disconnected. */
async function write(outgoing: ServerResponse, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve) => outgoing.write(bytes, () => resolve()));
}

async function untilClientLeaves({ outgoing, ending }: StruckCall): Promise<void> {
  try {
    await once(outgoing, 'close', { signal: ending });
  } catch {
    outgoing.destroy();
  }
}

/** Returns a complete HTTP message with incorrect content. */
function whole(status: number, headers: Headers | undefined, body: string): WireAnswer {
  const sentHeaders = new Headers(headers ?? { 'content-type': 'application/json' });
  sentHeaders.set('content-length', String(Buffer.byteLength(body)));
  return { response: new Response(body, { status, headers: sentHeaders }), status };
}

async function brokenJson(fault: SetFault, call: StruckCall, truth: Response | undefined) {
  if (fault.body !== null) return fault.body;
  const text = truth ? await truth.text() : JSON.stringify({ requestId: call.requestId });
  return text.slice(0, Math.floor(text.length / 2));
}

function gatewayPage(status: number): string {
  const title = status === 502 ? '502 Bad Gateway' : 'Back soon';
  return `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
}

/** Returns an error status with the given body, or with the documented one. */
function failed({ status, retryAfter, body }: SetFault, call: StruckCall): WireAnswer {
  const message = 'A fault was set in the sandbox.';
  const fields = [{ field: 'merchantTransactionId', error: 'is refused by a fault' }];
  const published = call.errorBody({ status, message, fields });
  const text = body ?? (published === null ? '' : JSON.stringify(published));
  const headers = new Headers(text === '' ? {} : { 'content-type': 'application/json' });
  if (retryAfter !== null) headers.set('retry-after', String(retryAfter));
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  return whole(status, headers, text);
}
