import { bootstrapApplication } from '@angular/platform-browser';
import { browserConfig } from './app/config';
import { PaymentPage } from './app/payment';

bootstrapApplication(PaymentPage, browserConfig).catch((error: unknown) => console.error(error));
