//! Which plugins of a build are kept, which are dropped at once, and which are dropped when they fail.
//!
//! Kept are those that make what tests are compiled and run with: Tests4J's list, and generators of sources and
//! resources. Dropped are those that check or publish, ask for versions of tools, or measure as we do. All others stay
//! until they fail.

/// Plugins without which tests do not compile or do not mean the same: where one fails, its module is not built.
const KEPT: [&str; 36] = [
    "org.apache.maven.plugins:maven-compiler-plugin",
    "org.apache.maven.plugins:maven-resources-plugin",
    "org.apache.maven.plugins:maven-surefire-plugin",
    "org.apache.maven.plugins:maven-jar-plugin",
    "org.apache.maven.plugins:maven-shade-plugin",
    "org.apache.maven.plugins:maven-install-plugin",
    "org.apache.maven.plugins:maven-antrun-plugin",
    "org.apache.maven.plugins:maven-plugin-plugin",
    "org.apache.felix:maven-bundle-plugin",
    "biz.aQute.bnd:bnd-maven-plugin",
    "org.codehaus.mojo:build-helper-maven-plugin",
    "org.codehaus.mojo:exec-maven-plugin",
    "org.codehaus.mojo:jaxb2-maven-plugin",
    "org.jvnet.jaxb2.maven2:maven-jaxb2-plugin",
    "org.jvnet.jaxb:jaxb-maven-plugin",
    "org.antlr:antlr-maven-plugin",
    "org.antlr:antlr3-maven-plugin",
    "org.antlr:antlr4-maven-plugin",
    "org.codehaus.mojo:antlr-maven-plugin",
    "org.codehaus.mojo:javacc-maven-plugin",
    "org.javacc.plugin:javacc-maven-plugin",
    "com.helger.maven:ph-javacc-maven-plugin",
    "de.jflex:jflex-maven-plugin",
    "de.jflex:maven-jflex-plugin",
    "com.github.os72:protoc-jar-maven-plugin",
    "org.xolstice.maven.plugins:protobuf-maven-plugin",
    "io.github.ascopes:protobuf-maven-plugin",
    "org.apache.avro:avro-maven-plugin",
    "org.apache.thrift:thrift-maven-plugin",
    "org.codehaus.modello:modello-maven-plugin",
    "org.codehaus.mojo:templating-maven-plugin",
    "org.jetbrains.kotlin:kotlin-maven-plugin",
    "org.codehaus.gmavenplus:gmavenplus-plugin",
    "org.codehaus.gmaven:gmaven-plugin",
    "net.alchim31.maven:scala-maven-plugin",
    "org.openapitools:openapi-generator-maven-plugin",
];

/// Plugins that check or publish, and single goals of others.
const DROPPED: [&str; 65] = [
    "au.com.acegi:xmlformat-maven-plugin",
    "com.buschmais.jqassistant:jqassistant-maven-plugin",
    "com.cosium.code:git-code-format-maven-plugin",
    "com.coveo:fmt-maven-plugin",
    "com.diffplug.spotless:spotless-maven-plugin",
    "com.github.ekryd.sortpom:sortpom-maven-plugin",
    "com.github.siom79.japicmp:japicmp-maven-plugin",
    "com.github.spotbugs:spotbugs-maven-plugin",
    "com.google.code.findbugs:findbugs-maven-plugin",
    "com.mycila:license-maven-plugin",
    "com.spotify.fmt:fmt-maven-plugin",
    "de.thetaphi:forbiddenapis",
    "net.revelc.code.formatter:formatter-maven-plugin",
    "net.revelc.code:impsort-maven-plugin",
    "net.revelc.code.impsort:impsort-maven-plugin",
    "org.apache.maven.plugins:maven-artifact-plugin",
    "org.apache.maven.plugins:maven-changes-plugin",
    "org.apache.maven.plugins:maven-checkstyle-plugin",
    "org.apache.maven.plugins:maven-dependency-plugin:analyze",
    "org.apache.maven.plugins:maven-dependency-plugin:analyze-dep-mgt",
    "org.apache.maven.plugins:maven-dependency-plugin:analyze-duplicate",
    "org.apache.maven.plugins:maven-dependency-plugin:analyze-only",
    "org.apache.maven.plugins:maven-dependency-plugin:tree",
    "org.apache.maven.plugins:maven-deploy-plugin",
    "org.apache.maven.plugins:maven-enforcer-plugin",
    "org.apache.maven.plugins:maven-failsafe-plugin",
    "org.apache.maven.plugins:maven-gpg-plugin",
    "org.apache.maven.plugins:maven-invoker-plugin",
    "org.apache.maven.plugins:maven-javadoc-plugin",
    "org.apache.maven.plugins:maven-pdf-plugin",
    "org.apache.maven.plugins:maven-pmd-plugin",
    "org.apache.maven.plugins:maven-project-info-reports-plugin",
    "org.apache.maven.plugins:maven-release-plugin",
    "org.apache.maven.plugins:maven-scm-plugin",
    "org.apache.maven.plugins:maven-scm-publish-plugin",
    "org.apache.maven.plugins:maven-site-plugin",
    "org.apache.maven.plugins:maven-source-plugin",
    "org.apache.maven.plugins:maven-toolchains-plugin",
    "org.apache.rat:apache-rat-plugin",
    "org.basepom.maven:duplicate-finder-maven-plugin",
    "org.cyclonedx:cyclonedx-maven-plugin",
    "org.codehaus.mojo:animal-sniffer-maven-plugin",
    "org.codehaus.mojo:clirr-maven-plugin",
    "org.codehaus.mojo:cobertura-maven-plugin",
    "org.codehaus.mojo:findbugs-maven-plugin",
    "org.codehaus.mojo:license-maven-plugin",
    "org.codehaus.mojo:sonar-maven-plugin",
    "org.codehaus.mojo:taglist-maven-plugin",
    "org.codehaus.mojo:tidy-maven-plugin",
    "org.codehaus.mojo:versions-maven-plugin",
    "org.eluder.coveralls:coveralls-maven-plugin",
    "org.gaul:modernizer-maven-plugin",
    "org.jacoco:jacoco-maven-plugin",
    "org.owasp:dependency-check-maven",
    "org.pitest:pitest-maven",
    "org.revapi:revapi-maven-plugin",
    "org.simplify4u.plugins:pgpverify-maven-plugin",
    "org.sonarsource.scanner.maven:sonar-maven-plugin",
    "org.sonatype.central:central-publishing-maven-plugin",
    "org.sonatype.ossindex.maven:ossindex-maven-plugin",
    "org.sonatype.plugins:nexus-staging-maven-plugin",
    "org.spdx:spdx-maven-plugin",
    "org.jreleaser:jreleaser-maven-plugin",
    "se.bjurr.gitchangelog:git-changelog-maven-plugin",
    "biz.aQute.bnd:bnd-baseline-maven-plugin",
];

/// Lists the plugins that are dropped at once: `group:artifact`, or `group:artifact:goal`.
pub fn dropped() -> impl Iterator<Item = &'static str> {
    DROPPED.into_iter()
}

/// Tells whether a plugin that has failed may be dropped.
pub fn may_go(plugin: &str) -> bool {
    !KEPT.contains(&plugin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_and_dropped() {
        assert!(dropped().all(may_go));
    }

    #[test]
    fn each_is_named_once() {
        for list in [KEPT.as_slice(), DROPPED.as_slice()] {
            let mut names = list.to_vec();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), list.len());
        }
    }

    #[test]
    fn the_nine_that_the_paper_keeps_stay() {
        // Tests4J 3.4.2 drops all plugins except these at once.
        let nine = [
            "org.apache.maven.plugins:maven-compiler-plugin",
            "org.codehaus.mojo:jaxb2-maven-plugin",
            "org.codehaus.mojo:build-helper-maven-plugin",
            "org.antlr:antlr4-maven-plugin",
            "org.apache.maven.plugins:maven-jar-plugin",
            "com.github.os72:protoc-jar-maven-plugin",
            "org.apache.felix:maven-bundle-plugin",
            "org.apache.maven.plugins:maven-shade-plugin",
            "org.apache.maven.plugins:maven-install-plugin",
        ];
        assert!(!nine.into_iter().any(may_go));
    }

    #[test]
    fn generators_stay_and_what_nobody_knows_may_go() {
        assert!(!may_go("org.codehaus.mojo:exec-maven-plugin"));
        assert!(may_go("org.example:some-maven-plugin"));
        assert!(may_go("org.apache.maven.plugins:maven-dependency-plugin"));
    }
}
