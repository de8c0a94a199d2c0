import { join } from 'node:path';
import {
  AngularNodeAppEngine,
  createNodeRequestHandler,
  createWebRequestFromNodeRequest,
  isMainModule,
  writeResponseToNodeResponse,
} from '@angular/ssr/node';
import express from 'express';
import { createPayment, receiveResult, showStatus } from '../orders';

const app = express();
const pages = new AngularNodeAppEngine();

app.get('/orders/:id', (request, response) =>
  writeResponseToNodeResponse(showStatus(request.params.id), response),
);
app.post('/webhooks/financing', async (request, response) => {
  const result = await receiveResult(createWebRequestFromNodeRequest(request));
  await writeResponseToNodeResponse(result, response);
});
app.use(express.static(join(import.meta.dirname, '../browser'), { index: false }));
app.use(async (request, response, next) => {
  // Angular renders only for the hosts in angular.json. The page is the same under each of the
  // shop's names, so the host that the visitor states makes no difference.
  const visit = new Request(`http://localhost${request.originalUrl}`);
  const page = await pages.handle(visit, await createPayment());
  if (page) await writeResponseToNodeResponse(page, response);
  else next();
});

if (isMainModule(import.meta.url)) app.listen(Number(process.env['PORT']), 'localhost');

export const reqHandler = createNodeRequestHandler(app);
