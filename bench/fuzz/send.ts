import { Agent as HttpAgent, request as httpRequest, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { FuzzRequest, OddRequest, RawRequest } from './requests.ts';
import type { Target } from './target.ts';

/** How a request ended: answered, closed without an answer, or timed out. */
export interface Ending {
  how: 'answered' | 'closed' | 'hang';
  /** Status codes of all answers. */
  statuses: number[];
  /** Headers and body. */
  text: string;
  /** The previous request on the same connection, if any. */
  after?: number | undefined;
}

/** Timeout in milliseconds; servers keep a silent connection longer. */
const LIMITS: Readonly<Record<FuzzRequest['kind'], number>> = {
  odd: 20_000,
  raw: 20_000,
  slow: 45_000,
};
const MAX_TEXT = 4_000_000;

export interface Sender {
  /** @param index index of the request, which later requests on the connection refer to */
  send(request: FuzzRequest, index: number): Promise<Ending>;
  close(): void;
}

export function createSender(target: Target, concurrency: number): Sender {
  const pool = { keepAlive: true, maxSockets: concurrency };
  const agent = target.ca
    ? new HttpsAgent({ ...pool, ca: target.ca, servername: 'localhost' })
    : new HttpAgent(pool);
  const last = new WeakMap<Socket, number>();
  return {
    async send(request, index) {
      if (request.kind !== 'odd') return sendRaw(target, request);
      let after: number | undefined;
      const ending = await sendOdd(target, agent, request, (socket) => {
        after = last.get(socket);
        last.set(socket, index);
      });
      return { ...ending, after };
    },
    close: () => agent.destroy(),
  };
}

function sendOdd(
  target: Target,
  agent: HttpAgent,
  odd: OddRequest,
  onSocket: (socket: Socket) => void,
): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const ended = (how: Ending['how'], statuses: number[] = [], text = '') => {
    clearTimeout(timer);
    resolve({ how, statuses, text });
  };
  const start: typeof httpRequest = target.ca ? httpsRequest : httpRequest;
  const { host, port } = target;
  const { method, path, headers } = odd;
  const outgoing: ClientRequest = start({ host, port, agent, method, path, headers });
  const timer = setTimeout(() => {
    ended('hang');
    outgoing.destroy();
  }, LIMITS.odd);
  outgoing.on('socket', onSocket);
  outgoing.on('response', (answer) => {
    const statuses = [answer.statusCode ?? 0];
    let text = answer.rawHeaders.join('\n');
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.length < MAX_TEXT) text += chunk;
    });
    answer.on('end', () => ended('answered', statuses, text));
    answer.on('error', () => ended('answered', statuses, text));
  });
  outgoing.on('upgrade', (answer, socket) => {
    socket.destroy();
    ended('answered', [answer.statusCode ?? 0]);
  });
  outgoing.on('error', () => ended('closed'));
  // Two writes send two chunks.
  if (odd.body && odd.chunked) {
    const half = Math.floor(odd.body.byteLength / 2);
    outgoing.write(odd.body.subarray(0, half));
    outgoing.end(odd.body.subarray(half));
  } else outgoing.end(odd.body);
  return promise;
}

function sendRaw(target: Target, raw: RawRequest): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const { host, port, ca } = target;
  const socket: Socket =
    ca === undefined || raw.plain
      ? connectPlain({ host, port, allowHalfOpen: true })
      : connectTls({ host, port, ca, servername: 'localhost' });
  let text = '';
  const timer = setTimeout(() => {
    ended('hang');
    socket.destroy();
  }, LIMITS[raw.kind]);
  const ended = (how: Ending['how']) => {
    clearTimeout(timer);
    const statuses = [...text.matchAll(/^HTTP\/1\.\d (\d{3})/gm)].map(([, code]) => Number(code));
    resolve({ how: statuses.length > 0 && how === 'closed' ? 'answered' : how, statuses, text });
  };
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    if (text.length < MAX_TEXT) text += chunk;
  });
  socket.on('end', () => socket.end());
  socket.on('error', () => socket.destroy());
  socket.on('close', () => ended('closed'));
  if (raw.kind === 'raw') socket.end(raw.bytes);
  else if (raw.bytes.byteLength > 0) socket.write(raw.bytes);
  return promise;
}
