import { problems } from '@financing-checkout/contract/storefront';
import { answerDifference, findRoute } from '@financing-checkout/kit/testing';
import type { Program } from '../program.ts';
import { operations } from './operations.ts';

/**
 * Compares each JSON response of an app with the declaration of its route, from which clients are
 * generated.
 * @returns how the responses so far differ
 */
export function watchAnswers(app: Program['app']): () => Promise<string[]> {
  const differences: Promise<string | undefined>[] = [];
  const { request } = app;
  app.request = async (input, init, ...more) => {
    const response = await request(input, init, ...more);
    const { method = 'GET' } = input instanceof Request ? input : (init ?? {});
    const route = findRoute(
      operations,
      method,
      input instanceof Request ? input.url : String(input),
    );
    const { headers, status } = response;
    // Files are streams, whose tests stop reading.
    const isRead = /^application\/(?:problem\+)?json/.test(headers.get('content-type') ?? '');
    if (route !== undefined && isRead && method !== 'HEAD') {
      const text = response.clone().text();
      differences.push(
        text.then((text) => answerDifference(route, problems, { status, headers, text })),
      );
    }
    return response;
  };
  return async () => (await Promise.all(differences)).filter((one) => one !== undefined);
}
