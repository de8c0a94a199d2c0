import { index, route, type RouteConfig } from '@react-router/dev/routes';

export default [
  index('routes/payment.tsx'),
  route('orders/:id', 'routes/order.ts'),
  route('webhooks/financing', 'routes/webhook.ts'),
] satisfies RouteConfig;
