// A minimal proxy: node:http in front of undici's pool.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { ready, setting } from './contestant.ts';

const authorization = `Bearer ${setting('BENCH_PRIVATE_KEY')}`;
const pool = new Pool(setting('BENCH_UPSTREAM_URL'), {
  connections: Number(setting('BENCH_CONNECTIONS')),
  connect: { ca: readFileSync(setting('BENCH_CA_FILE')) },
});

createServer((request, response) => {
  const forward = async () => {
    const answer = await pool.request({
      method: 'POST',
      path: '/v1/checkout/prime',
      headers: { authorization, 'content-type': 'application/json' },
      body: request,
    });
    response.writeHead(answer.statusCode === 200 ? 201 : 502, {
      'content-type': 'application/json',
    });
    answer.body.pipe(response);
  };
  forward().catch(() => response.writeHead(502).end());
}).listen(Number(setting('BENCH_PORT')), '127.0.0.1', ready);
