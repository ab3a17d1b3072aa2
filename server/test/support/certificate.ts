/** Makes a self-signed certificate for a test server (RFC 5280 §4.1, in DER), so that the repository holds no private key. */
import { generateKeyPairSync, sign } from 'node:crypto'
import ipaddr from 'ipaddr.js'

export function makeCertificate(dns_name: string, ...others: readonly string[]): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(dns_name)))))
  const extensions = [
    sequence(oid('551d13'), der(0x04, sequence(der(0x01, Buffer.from([0xff]))))), // basicConstraints: a certificate authority
    sequence(oid('551d11'), der(0x04, sequence(...[dns_name, ...others].map(alternativeName)))), // subjectAltName: dNSName
  ]
  const certificate = sequence(
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    sequence(time('20000101000000Z'), time('20991231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signed = sequence(certificate, algorithm, der(0x03, Buffer.from([0]), sign('sha256', certificate, privateKey)))
  const lines = signed.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}

/** RFC 5280 §4.2.1.6: a DNS name, or the bytes of an IP address. */
function alternativeName(name: string): Buffer {
  return ipaddr.isValid(name) ? der(0x87, Buffer.from(ipaddr.parse(name).toByteArray())) : der(0x82, Buffer.from(name))
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const integer = (value: number) => der(0x02, Buffer.from([value]))
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const time = (text: string) => der(0x18, Buffer.from(text))
