import { consoleLog } from '../../observe/console-log.ts';
import type { Log } from '../../observe/log.ts';
import { safeLog } from '../../observe/safe-log.ts';
import type { Authenticator } from '../../host/auth/authenticator.ts';
import { credentialHeaders } from '../../host/auth/credentials.ts';
import { type Check, isObject } from '../../support/check.ts';
import { count, flag, listOf, type Option, type OptionTable, readTable, WITH_OTHERS } from '../../support/options.ts';
import { type HttpRequest, type HttpResponse, SAFE, withHeaders } from '../../host/http.ts';
import { HEALTH_PATH, METRICS_PATH, READINESS_PATH } from './page-paths.ts';
import { PROCESS_TASK_PATH, RUN_PATH, SWEEP_PATH } from '../serverless/serverless-options.ts';

/** Which web origins can call the agent from a browser, over JSON-RPC and REST. */
export interface CorsOptions {
  /**
   * The allowed origins, such as `https://app.example`, or a function that decides. `'*'` allows every page. It requires `auth` or
   * `insecurePublic`, and does not open an agent without `auth` on a loopback address. Required.
   */
  readonly origins: '*' | readonly string[] | ((origin: string) => boolean);
  /** Whether pages can send cookies. Not allowed with `'*'`. Bearer tokens and API keys in headers do not need it. Default: `false`. */
  readonly credentials?: boolean;
  /** Request headers that pages can send, in addition to those of the protocol and of `auth`. */
  readonly allowHeaders?: readonly string[];
  /** Response headers that pages can read, in addition to those of the protocol. */
  readonly exposeHeaders?: readonly string[];
  /** How long a browser may cache the response to a preflight request, 0 to 86,400 s. Default: 600 s. */
  readonly maxAgeSeconds?: number;
}

/** The options of `cors`. */
export const CORS = {
  origins: WITH_OTHERS,
  credentials: flag(false),
  allowHeaders: headerNames(),
  exposeHeaders: headerNames(),
  maxAgeSeconds: count({ least: 0, most: 86_400, byDefault: 600 }),
} as const satisfies OptionTable<CorsOptions>;

const METHODS = 'GET, HEAD, POST, DELETE';

/** The request headers of the protocol. Browsers differ in whether a page can set `User-Agent`. */
const REQUEST_HEADERS = [
  'Accept',
  'User-Agent',
  'Content-Type',
  'A2A-Version',
  'A2A-Extensions',
  'X-A2A-Extensions',
  'Idempotency-Key',
  'Last-Event-ID',
  'If-None-Match',
  'If-Modified-Since',
  'Traceparent',
  'Tracestate',
];

/** The response headers of the protocol, in addition to those that browsers show to every page. */
const RESPONSE_HEADERS = [
  'A2A-Extensions',
  'X-A2A-Extensions',
  'Allow',
  'ETag',
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** Paths for operators and for the agent itself. No page needs them. */
const CLOSED_PATHS: ReadonlySet<string> = new Set([
  HEALTH_PATH,
  READINESS_PATH,
  METRICS_PATH,
  RUN_PATH,
  SWEEP_PATH,
  PROCESS_TASK_PATH,
]);

/** A token of RFC 9110 §5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Other options that affect `cors`. */
export interface CorsContext {
  readonly auth: readonly Authenticator[] | undefined;
  readonly insecurePublic: boolean;
  readonly log: Log | undefined;
}

/** Reads the option; undefined if it is not set. Then no page of another origin can call. */
export function readCors(check: Check, value: unknown, context: CorsContext): Cors | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, 'cors', `{ origins: ['https://app.example'] }`);
  if (given === undefined) return undefined;
  const { credentials, maxAgeSeconds, allowHeaders = [], exposeHeaders = [] } = readTable(check, given, CORS, 'cors.');
  const origins = readOrigins(check, given['origins']);
  if (origins === '*' && credentials) {
    check.fault('cors.credentials', "cannot be true if cors.origins is '*': list the origins");
  }
  if (origins === '*' && context.auth === undefined && !context.insecurePublic) {
    const risk = 'every web page could call the agent through the browser of a person who can reach it';
    check.fault('cors.origins', `can be '*' only with auth or insecurePublic, because ${risk}. List the origins`);
  }
  const keyHeaders = credentialHeaders(context.auth).split(', ');
  const allowed = [...REQUEST_HEADERS, ...keyHeaders, ...allowHeaders];
  const exposed = [...RESPONSE_HEADERS, ...exposeHeaders];
  return new Cors({
    origins,
    credentials,
    allowHeaders: allowed.filter((name) => name !== 'Cookie').join(', '),
    exposeHeaders: exposed.join(', '),
    maxAgeSeconds,
    log: safeLog(isObject(context.log) ? context.log : consoleLog),
  });
}

/** A function in plain JavaScript may return anything; only `true` allows the origin. */
type Origins = '*' | ReadonlySet<string> | ((origin: string) => unknown);

interface CorsSettings {
  readonly origins: Origins;
  readonly credentials: boolean;
  readonly allowHeaders: string;
  readonly exposeHeaders: string;
  readonly maxAgeSeconds: number;
  readonly log: Log;
}

/** Handles preflight requests and adds CORS headers. Authentication, limits and the host check still apply. */
export class Cors {
  readonly #settings: CorsSettings;

  constructor(settings: CorsSettings) {
    this.#settings = settings;
  }

  /**
   * Whether the operator chose this origin. `'*'` chooses none: it must not make an agent without `auth` trust every page that
   * a browser on the same machine shows.
   */
  readonly choosesOrigin = (origin: string): boolean => {
    const { origins, log } = this.#settings;
    // Sandboxed frames and local files have the origin null.
    if (origins === '*' || origin === 'null') return false;
    if (typeof origins !== 'function') return origins.has(origin);
    try {
      return origins(origin) === true;
    } catch (error) {
      log.error('Function cors.origins failed', { error });
      return false;
    }
  };

  /** The response to a preflight request of a page that may call; undefined if the request is not a preflight. */
  preflight(request: HttpRequest): HttpResponse | undefined {
    if (request.method !== 'OPTIONS' || !isOpen(request)) return undefined;
    if (request.header('access-control-request-method') === undefined) return undefined;
    const allowed = this.#allowed(request.header('origin'));
    if (allowed === undefined) return undefined;
    const { allowHeaders, maxAgeSeconds } = this.#settings;
    const headers = {
      ...SAFE,
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': allowHeaders,
      'access-control-max-age': String(maxAgeSeconds),
    };
    return { status: 204, headers };
  }

  /** The response with the headers by which the browser lets the page read it. */
  applied(request: HttpRequest, response: HttpResponse): HttpResponse {
    if (!isOpen(request)) return response;
    const { origins, credentials, exposeHeaders } = this.#settings;
    const allowed = this.#allowed(request.header('origin'));
    const headers: Record<string, string> = { ...response.headers };
    // Also without an origin, because a cache must not serve this response to a page.
    if (origins !== '*') headers['vary'] = headers['vary'] === undefined ? 'Origin' : `${headers['vary']}, Origin`;
    if (allowed !== undefined) {
      headers['access-control-allow-origin'] = allowed;
      headers['access-control-expose-headers'] = exposeHeaders;
      if (credentials) headers['access-control-allow-credentials'] = 'true';
    }
    return withHeaders(response, headers);
  }

  /** The value of `Access-Control-Allow-Origin`; undefined if pages of this origin may not call. */
  #allowed(origin: string | undefined): string | undefined {
    if (origin === undefined) return undefined;
    if (this.#settings.origins === '*') return '*';
    return this.choosesOrigin(origin) ? origin : undefined;
  }
}

function isOpen({ path }: HttpRequest): boolean {
  return path !== undefined && !CLOSED_PATHS.has(path);
}

function readOrigins(check: Check, value: unknown): Origins {
  if (value === '*') return '*';
  if (typeof value === 'function') return value as (origin: string) => unknown;
  const like = `an array of origins such as ["https://app.example"], a function or '*'`;
  if (!Array.isArray(value)) {
    check.fault('cors.origins', value === undefined ? `is required: pass ${like}` : `expected ${like}`);
  } else if (value.length === 0) check.fault('cors.origins', 'must not be empty; leave cors out to allow no origin');
  const list = Array.isArray(value) ? value : [];
  return new Set(check.list(list, 'cors.origins', 'origins', (item, path) => readOrigin(check, item, path)));
}

/** An origin as browsers write it. Origins of extensions and apps have their own schemes. */
function readOrigin(check: Check, value: unknown, path: string): string {
  const text = typeof value === 'string' ? value : '';
  const isOrigin = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/i.test(text) && URL.canParse(text);
  if (!isOrigin) {
    check.fault(
      path,
      'expected an origin such as "https://app.example", without a path or "*"; a function can decide by a pattern',
    );
    return '';
  }
  const { origin } = new URL(text);
  return origin === 'null' ? text : origin;
}

function headerNames(): Option<readonly string[]> {
  return listOf('header names', (check, item, path) => {
    const isName = typeof item === 'string' && HEADER_NAME.test(item);
    if (!isName) check.fault(path, 'expected a header name such as "X-Request-Id"');
    return String(item);
  });
}
