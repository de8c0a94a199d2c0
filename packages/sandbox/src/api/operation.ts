import type { ApiContext } from './context.ts';

/** One operation of the service: its name is what calls, logs and faults know it by. */
export interface Operation {
  name: string;
  method: 'GET' | 'POST';
  /** Hono path, below the environment's base address. */
  path: string;
  answer: (c: ApiContext) => Response | Promise<Response>;
}
