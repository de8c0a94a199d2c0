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
  const page = await pages.handle(request, await createPayment());
  if (page) await writeResponseToNodeResponse(page, response);
  else next();
});

if (isMainModule(import.meta.url)) app.listen(Number(process.env['PORT']), 'localhost');

export const reqHandler = createNodeRequestHandler(app);
