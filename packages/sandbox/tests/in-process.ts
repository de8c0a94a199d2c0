import { createWire, type Wire, type WireOptions } from '../src/conformance/wire.ts';
import type { App } from '../src/listener/listener.ts';

/**
 * Returns a client for `runConformance` that calls an app without a connection. Requests to another
 * origin, such as the API over plain HTTP, use a connection.
 * @param origin origin of the app's URL
 */
export function wireTo(app: App, origin: string): (options: WireOptions) => Wire {
  return (options) => {
    let wire: Wire | undefined;
    return {
      send: async (request) => {
        const { url, method, authorization, body } = request;
        // Without the CA, because loading it takes longer than all requests over plain HTTP.
        if (url.origin !== origin) {
          return (wire ??= createWire({ ...options, ca: undefined })).send(request);
        }
        const headers = new Headers({ accept: 'application/json' });
        if (authorization !== null) headers.set('authorization', authorization);
        const sent = new Request(url, { method, headers, body: body?.text });
        // Request adds its own media type for a string body.
        sent.headers.delete('content-type');
        if (body && body.contentType !== null) sent.headers.set('content-type', body.contentType);
        const answer = await app.fetch(sent, {} as never);
        const text = await answer.text();
        const whole = Array.from(answer.headers, ([, value]) => value).join('\n') + text;
        return {
          answered: true,
          status: answer.status,
          contentType: answer.headers.get('content-type') ?? '',
          text,
          showsKey: options.secrets.some((secret) => whole.includes(secret)),
        };
      },
    };
  };
}
