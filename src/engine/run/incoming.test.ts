import { expect, test } from 'vitest';
import type { Message } from '../../model/message.ts';
import { filesOf, incoming } from './incoming.ts';

const signal = new AbortController().signal;

test('a message comes with its text, and as a copy', () => {
  const message: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a' }, { data: { n: [1] } }] };
  const given = incoming(message);
  expect(given).toEqual({ ...message, text: 'a\n{"n":[1]}' });
  expect(given.parts).not.toBe(message.parts);
  expect(given.parts[1]).not.toBe(message.parts[1]);
});

test('files are the parts that are bytes or addresses', async () => {
  const fetchFile = async (url: string): Promise<Uint8Array> => new TextEncoder().encode(url);
  const parts = [
    { text: 'a' },
    { raw: 'AQID', filename: 'a.bin', mediaType: 'image/png' },
    { data: 1 },
    { url: 'https://a.example' },
  ];
  const [inline, remote, ...rest] = filesOf(parts, { fetchFile, maxBytes: 10, signal });
  expect(rest).toEqual([]);
  expect(inline).toEqual({ filename: 'a.bin', mediaType: 'image/png', bytes: expect.any(Function) });
  expect(await inline?.bytes()).toEqual(new Uint8Array([1, 2, 3]));
  expect(remote).toEqual({ url: 'https://a.example', bytes: expect.any(Function) });
  expect(new TextDecoder().decode(await remote?.bytes())).toBe('https://a.example');
});

test('a fetcher gets the maximum size and the signal of the run', async () => {
  const calls: unknown[] = [];
  const fetchFile = async (...args: unknown[]): Promise<Uint8Array> => {
    calls.push(args);
    return new Uint8Array();
  };
  const [file] = filesOf([{ url: 'https://a.example' }], { fetchFile, maxBytes: 10, signal });
  await file?.bytes();
  expect(calls).toEqual([['https://a.example', { maxBytes: 10, signal }]]);
});

test('without a fetcher a file by URL is rejected with an explanation', async () => {
  const [file] = filesOf([{ url: 'https://a.example' }], { fetchFile: undefined, maxBytes: 10, signal });
  await expect(file?.bytes()).rejects.toThrow('fetchFile');
});
