import {
  createCompanion,
  createServiceClient,
  createTripWire,
  PrivateKey,
  Secret,
  type Store,
} from './index.ts';

/** Bindings of the runtime: plain-text values and the two servers of the test. */
interface Bindings {
  PRIVATE_KEY: string;
  PUBLIC_KEY: string;
  TICKET_SECRET: string;
  STORE: { fetch: (url: string, init: RequestInit) => Promise<Response> };
}

/**
 * A store behind a binding, like an edge deployment: each method call is a request to the real
 * store.
 */
function remoteStore({ STORE }: Bindings): Store {
  const handler: ProxyHandler<Store> = {
    get: (_, method) =>
      async function call(...parameters: unknown[]) {
        const body = JSON.stringify({ method, parameters });
        const response = await STORE.fetch('http://store/', { method: 'POST', body });
        const answer = (await response.json()) as { result?: unknown };
        return answer.result;
      },
  };
  return new Proxy<Store>(Object.create(null) as Store, handler);
}

export default {
  fetch(request: Request, env: Bindings): Response | Promise<Response> {
    const key = new PrivateKey(env.PRIVATE_KEY);
    const app = createCompanion({
      environment: 'sandbox',
      publicKey: env.PUBLIC_KEY,
      service: createServiceClient({ baseUrl: 'https://service.example/', keys: [key] }),
      tripWire: createTripWire([key]),
      store: remoteStore(env),
      allowedOrigins: ['https://shop.example'],
      tickets: { secrets: [new Secret(env.TICKET_SECRET)] },
      hostedUrl: 'https://hosted.example/c?s={sessionToken}',
    }).storefront;
    return app.fetch(request, env);
  },
};
